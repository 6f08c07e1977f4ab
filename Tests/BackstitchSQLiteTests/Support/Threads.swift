import Backstitch
import BackstitchSupport
import Foundation

/// Threads of a test's own. Work that blocks or waits for other work must not fill the few threads of Swift's tasks.
final class Threads: Sendable {
    private let group = DispatchGroup()
    private let failure = Locked<(any Error)?>(nil)

    /// Starts `body` on a thread of its own.
    func start(_ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread { [group, failure] in
            do { try body() } catch { failure.withLock { $0 = $0 ?? error } }
            group.leave()
        }
    }

    /// Waits for all of them, and throws the first error of any.
    func join() throws {
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
