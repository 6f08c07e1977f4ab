import Backstitch
import Foundation

/// Lets requests in until it is closed; closing waits for those inside to leave.
final class AccessGate: @unchecked Sendable {  // The condition guards all fields.
    private let condition = NSCondition()
    private var inside = 0
    private var isClosed = false

    /// Runs `body` as a request.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the gate is closed; what `body` throws.
    func pass<Result>(store: String, _ body: () throws -> Result) throws -> Result {
        try enter(store: store)
        defer { leave() }
        return try body()
    }

    /// Closes the gate, and returns when all requests have left.
    ///
    /// - Returns: Whether it was open before.
    func close() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let wasOpen = !isClosed
        isClosed = true
        while inside > 0 { condition.wait() }
        return wasOpen
    }

    private func enter(store: String) throws {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else {
            throw BackstitchError(.storeClosed, "\(store) was closed; open it again before using it")
        }
        inside += 1
    }

    private func leave() {
        condition.lock()
        defer { condition.unlock() }
        inside -= 1
        if inside == 0 { condition.broadcast() }
    }
}
