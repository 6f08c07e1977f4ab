import Backstitch
import Foundation

/// Lets work on the store in until it is shut, and tells when the last has left.
final class StoreGate: Sendable {
    // A condition rather than a mutex, because closing waits on it. It guards `inside` and `isShut`.
    private let condition = NSCondition()
    // Only touched while `condition` is held.
    nonisolated(unsafe) private var inside = 0
    nonisolated(unsafe) private var isShut = false

    /// Runs `work` unless the gate is shut.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when it is, else what `work` throws.
    func pass<Result>(_ work: () throws -> Result) throws -> Result {
        condition.lock()
        guard !isShut else {
            condition.unlock()
            throw SyncEngine.closedError
        }
        inside += 1
        condition.unlock()
        defer {
            condition.lock()
            inside -= 1
            if inside == 0 { condition.broadcast() }
            condition.unlock()
        }
        return try work()
    }

    /// Lets nobody in any more, and waits until all have left, but not longer than `seconds`.
    func shut(waiting seconds: Double) {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        isShut = true
        while inside > 0, condition.wait(until: limit) {}
    }
}
