import Backstitch
import BackstitchSQL
import BackstitchSupport

/// A lock of the server (advisory in pg_locks). It ends with its session.
final class PostgreSQLLock: StoreLock {
    private let session: LockSession
    private let number: Int
    private let key: Int64
    private let onLoss: @Sendable () -> Void

    init(_ session: LockSession, number: Int, key: Int64, onLoss: @escaping @Sendable () -> Void) {
        self.session = session
        self.number = number
        self.key = key
        self.onLoss = onLoss
    }

    deinit { release() }

    /// Takes the lock, or changes its mode. Does not wait for other holders.
    func take(_ mode: StoreLockMode) throws -> Bool {
        try session.take(mode, number, key: key, onLoss: onLoss)
    }

    func release() { session.release(number) }
}
