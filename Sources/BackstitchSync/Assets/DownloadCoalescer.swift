import Backstitch
import BackstitchSupport
import Foundation

/// Downloads of assets under way: who asks for bytes that are on their way already waits along. A download is given up
/// when all who wait for it have gone.
final class DownloadCoalescer: Sendable {
    private struct Download: Sendable {
        let number: Int
        let task: Task<Void, any Error>
        let isInterrupted = Locked(false)
        var waiters: Set<Int>
    }

    private struct State: Sendable {
        var downloads: [AssetReference: Download] = [:]
        var next = 0
    }

    private let state = Locked(State())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: Where downloads run; nil for wherever tasks run.
    init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    /// Waits for a download that is under way, or for one that `work` makes.
    ///
    /// - Throws: The download's errors; `CancellationError` when the caller's task, or the download, is cancelled;
    ///   ``DownloadInterrupted`` after ``interrupt(_:)``.
    func wait(
        for reference: AssetReference, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (download, waiter) = state.withLock { state -> (Download, Int) in
            state.next += 1
            if var running = state.downloads[reference] {
                running.waiters.insert(state.next)
                state.downloads[reference] = running
                return (running, state.next)
            }
            let task = Task(executorPreference: executor) { try await work() }
            let download = Download(number: state.next, task: task, waiters: [state.next])
            state.downloads[reference] = download
            return (download, state.next)
        }
        defer { end(waiter, of: reference, download.number) }
        do {
            try await withTaskCancellationHandler {
                try await download.task.value
            } onCancel: {
                // The last who waits takes the download along; the others wait on.
                if leave(waiter, of: reference, download.number) { download.task.cancel() }
            }
        } catch {
            if download.isInterrupted.withLock(\.self) { throw DownloadInterrupted() }
            throw error
        }
    }

    /// Ends a download because transfers are to rest. Who asks anew begins another one.
    ///
    /// - Parameter reference: nil for all.
    func interrupt(_ reference: AssetReference?) {
        let ended = state.withLock { state in
            guard let reference else {
                defer { state.downloads = [:] }
                return Array(state.downloads.values)
            }
            return [state.downloads.removeValue(forKey: reference)].compactMap { $0 }
        }
        for download in ended {
            download.isInterrupted.withLock { $0 = true }
            download.task.cancel()
        }
    }

    /// Gives a download up for all who wait for it.
    func cancel(_ reference: AssetReference) { state.withLock { $0.downloads[reference] }?.task.cancel() }

    /// - Returns: Whether nobody waits any more.
    private func leave(_ waiter: Int, of reference: AssetReference, _ number: Int) -> Bool {
        state.withLock { state in
            guard var download = state.downloads[reference], download.number == number else { return false }
            download.waiters.remove(waiter)
            state.downloads[reference] = download
            return download.waiters.isEmpty
        }
    }

    /// Forgets a download that has ended, with its last waiter.
    private func end(_ waiter: Int, of reference: AssetReference, _ number: Int) {
        if leave(waiter, of: reference, number) { state.withLock { $0.downloads[reference] = nil } }
    }
}
