import Backstitch
import BackstitchSupport
import Foundation

/// Keeps bytes from being collected while a save is about to name them. It also does so while a reader uses a state of
/// the store with their names.
///
/// A save shares the guard, and so does a reader that pins a state. Sharing works between threads and processes. A
/// removal holds the guard alone for a moment, or is postponed. For a folder, the guard is a lock on a file in it. The
/// lock ends with the process.
package final class AssetGuard: Sendable {
    private struct State {
        var sharers = 0
        var isTaken = false
        var file: OpenFile?
        var isLocked = false
    }

    /// The lock file; nil for bytes in memory, because only this process can reach them.
    private let path: String?
    // Guards `state`, and wakes the threads that wait for it.
    private let condition = NSCondition()
    // Used only while `condition` is held.
    nonisolated(unsafe) private var state = State()

    /// Creates a guard for the bytes in a folder, or for bytes in memory if there is no folder. The folder need not
    /// exist yet.
    package init(folder: String? = nil) { path = folder.map { $0 + "/lock" } }

    deinit { state.file?.close() }

    /// Runs `body`. Nothing is collected meanwhile.
    package func sharing<Result>(_ body: () throws -> Result) throws -> Result {
        try share()
        defer { unshare() }
        return try body()
    }

    /// Prevents collection until ``unshare()``. Waits for a collection that is under way.
    package func share() throws {
        condition.lock()
        defer { condition.unlock() }
        while state.isTaken { condition.wait() }
        // A missing folder has nothing to collect. A thread that makes the folder calls `share` again.
        if let path, state.file == nil { state.file = FileCalls.openLock(path) }
        if !state.isLocked, let file = state.file {
            try BackstitchError.onFiles { try file.lock(isShared: true) }
            state.isLocked = true
        }
        state.sharers += 1
    }

    /// Ends one ``share()``. The last one unlocks the file.
    package func unshare() {
        condition.lock()
        defer { condition.unlock() }
        state.sharers -= 1
        guard state.sharers == 0, state.isLocked else { return }
        state.file?.unlock()
        state.isLocked = false
    }

    /// Runs `body` while no thread or process shares the guard. If one does, the result is false and `body` does not
    /// run.
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

    /// Takes the guard alone within this process; false if it is shared or taken.
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
