import Backstitch
import BackstitchSupport
import Foundation

/// The running downloads of assets. Callers that ask for the same bytes wait for one download. A download is cancelled
/// when its last waiter has left.
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

    /// - Parameter executor: The executor of the downloads; nil for the default one.
    init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    /// Waits for a running download, or starts one with `work`.
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
                // The last waiter cancels the download; as long as others wait, it continues.
                if leave(waiter, of: reference, download.number) { download.task.cancel() }
            }
        } catch {
            if download.isInterrupted.withLock(\.self) { throw DownloadInterrupted() }
            throw error
        }
    }

    /// Ends a download because transfers are paused. A later request starts another one.
    ///
    /// - Parameter reference: The asset; nil for all.
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

    /// Cancels a download for all callers that wait for it.
    func cancel(_ reference: AssetReference) { state.withLock { $0.downloads[reference] }?.task.cancel() }

    /// - Returns: Whether the last waiter has left.
    private func leave(_ waiter: Int, of reference: AssetReference, _ number: Int) -> Bool {
        state.withLock { state in
            guard var download = state.downloads[reference], download.number == number else { return false }
            download.waiters.remove(waiter)
            state.downloads[reference] = download
            return download.waiters.isEmpty
        }
    }

    /// Forgets an ended download together with its last waiter.
    private func end(_ waiter: Int, of reference: AssetReference, _ number: Int) {
        if leave(waiter, of: reference, number) { state.withLock { $0.downloads[reference] = nil } }
    }
}
