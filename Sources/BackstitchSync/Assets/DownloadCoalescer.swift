import Backstitch
import BackstitchSupport
import Foundation

/// Downloads of assets under way: who asks for bytes that are on their way already waits along. A download is given up
/// when all who wait for it have gone.
final class DownloadCoalescer: Sendable {
    private struct Download: Sendable {
        let number: Int
        let task: Task<Data, any Error>
        var waiters: Int
    }

    private struct State: Sendable {
        var downloads: [AssetReference: Download] = [:]
        var next = 0
    }

    private let state = Locked(State())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: Where downloads run; nil for wherever tasks run.
    init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    /// The bytes, by a download that is under way or by one that `work` makes.
    ///
    /// - Throws: The download's errors; `CancellationError` when the caller's task, or the download, is cancelled.
    func data(
        of reference: AssetReference, _ work: @escaping @Sendable () async throws -> Data
    ) async throws -> Data {
        let download = state.withLock { state -> Download in
            if var running = state.downloads[reference] {
                running.waiters += 1
                state.downloads[reference] = running
                return running
            }
            state.next += 1
            let task = Task(executorPreference: executor) { try await work() }
            let download = Download(number: state.next, task: task, waiters: 1)
            state.downloads[reference] = download
            return download
        }
        defer { leave(reference, download.number) }
        return try await withTaskCancellationHandler {
            try await download.task.value
        } onCancel: {
            // The last who waits takes the download along; the others wait on.
            if isAlone(reference, download.number) { download.task.cancel() }
        }
    }

    /// Gives a download up for all who wait for it.
    func cancel(_ reference: AssetReference) { state.withLock { $0.downloads[reference] }?.task.cancel() }

    private func isAlone(_ reference: AssetReference, _ number: Int) -> Bool {
        state.withLock { $0.downloads[reference].map { $0.number == number && $0.waiters == 1 } ?? false }
    }

    private func leave(_ reference: AssetReference, _ number: Int) {
        state.withLock { state in
            guard var download = state.downloads[reference], download.number == number else { return }
            download.waiters -= 1
            state.downloads[reference] = download.waiters == 0 ? nil : download
        }
    }
}
