import Backstitch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Says which of several stores on the same files syncs them, of one process or of several: the one that holds the lock. The system
/// takes it from a process that ends, however that comes.
final class SyncLock: Sendable {
    let path: String
    /// Of the open file; -1 while the lock is not held.
    private let descriptor = Locked<Int32>(-1)

    init(_ path: String) { self.path = path }

    deinit { release() }

    /// Takes the lock unless another store has it.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the file cannot be made or locked.
    func take() throws -> Bool {
        try descriptor.withLock { held in
            guard held < 0 else { return true }
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure("opened") }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(file) }
                if errno == EWOULDBLOCK || errno == EINTR { return false }
                throw failure("locked")
            }
            held = file
            return true
        }
    }

    /// Lets another store have it.
    func release() {
        descriptor.withLock { held in
            if held >= 0 { close(held) }
            held = -1
        }
    }

    private func failure(_ what: String) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the file \(path), by which one process syncs the store, cannot be \(what): "
                + String(cString: strerror(errno)))
    }
}
