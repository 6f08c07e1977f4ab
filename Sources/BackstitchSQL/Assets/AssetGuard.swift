import Backstitch
import BackstitchSupport
import Foundation

/// Keeps bytes from being collected while somebody is about to name them, or reads a state of the store in which they
/// are named.
///
/// A save, or a reader that pins a state, shares the guard, also between threads and processes; a removal has it
/// alone for a moment, or is put off. For a folder it is a lock on a file in it, which ends with the process.
package final class AssetGuard: Sendable {
    private struct State {
        var sharers = 0
        var isTaken = false
        var file: OpenFile?
        var isLocked = false
    }

    /// Nil for bytes in memory, which this process alone has.
    private let path: String?
    // Guards `state`, and wakes those that wait for it.
    private let condition = NSCondition()
    // Used while `condition` is held only.
    nonisolated(unsafe) private var state = State()

    /// A guard of the bytes in a folder, which need not be there yet; of bytes in memory without one.
    package init(folder: String? = nil) { path = folder.map { $0 + "/lock" } }

    deinit { state.file?.close() }

    /// Runs `body` while nothing is collected.
    package func sharing<Result>(_ body: () throws -> Result) throws -> Result {
        try share()
        defer { unshare() }
        return try body()
    }

    /// Has nothing collected until ``unshare()``. Waits for a collection that is under way.
    package func share() throws {
        condition.lock()
        defer { condition.unlock() }
        while state.isTaken { condition.wait() }
        // A folder that is not there has nothing that could be collected. A thread that makes the folder shares anew.
        if let path, state.file == nil { state.file = FileCalls.openLock(path) }
        if !state.isLocked, let file = state.file {
            try BackstitchError.onFiles { try file.lock(isShared: true) }
            state.isLocked = true
        }
        state.sharers += 1
    }

    /// Ends a ``share()``.
    package func unshare() {
        condition.lock()
        defer { condition.unlock() }
        state.sharers -= 1
        guard state.sharers == 0, state.isLocked else { return }
        state.file?.unlock()
        state.isLocked = false
    }

    /// Runs `body` while nobody shares it; false, without running it, when somebody does.
    package func alone(_ body: () throws -> Void) throws -> Bool {
        guard take() else { return false }
        defer { giveBack() }
        guard let path else {
            try body()
            return true
        }
        guard let file = FileCalls.openLock(path) else { return false }
        defer { file.close() }
        guard file.tryLock() else { return false }
        defer { file.unlock() }
        try body()
        return true
    }

    private func take() -> Bool {
        condition.withLock {
            if state.isTaken || state.sharers > 0 { return false }
            state.isTaken = true
            return true
        }
    }

    private func giveBack() {
        condition.withLock {
            state.isTaken = false
            condition.broadcast()
        }
    }
}
