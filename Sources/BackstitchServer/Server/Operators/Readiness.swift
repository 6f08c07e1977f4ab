import Backstitch
import BackstitchSQL
import BackstitchSupport

/// Tells whether a server takes requests.
///
/// Any caller may ask. So the storage is read at most once a second, and never twice at the same time.
final class Readiness: Sendable {
    /// The reason for taking no requests.
    enum Reason: String, Sendable {
        case starting, draining
        case storageFails = "the storage fails"
        case storageIsSlow = "the storage is slow"
        case diskIsFull = "the disk is full"
    }

    private enum Phase {
        case starting, draining
        /// Requests are taken. `look` reads a little from the storage.
        case serving(look: @Sendable () async throws -> Void)
    }

    private struct State {
        var phase = Phase.starting
        /// The result of the last look at the storage, and the uptime at its end.
        var last: (reason: Reason?, time: Int64)?
        /// The look in progress, and the uptime at its start.
        var running: (task: Task<Reason?, Never>, start: Int64)?
    }

    private let clock: any WallClock
    private let limit: Int64
    private let state = Locked(State())

    /// - Parameter limit: Longest time for a read of the storage, in milliseconds.
    init(clock: any WallClock, limit: Int64 = 2_000) {
        self.clock = clock
        self.limit = limit
    }

    /// Notes the start of service: requests are taken from now on.
    ///
    /// - Parameter look: Reads a little from the storage.
    func serve(_ look: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            if case .starting = state.phase { state.phase = .serving(look: look) }
        }
    }

    /// Notes the beginning of the shutdown.
    func drain() { state.withLock { $0.phase = .draining } }

    /// The reason not to send requests here now; nil when all is well.
    func reason() async -> Reason? {
        switch state.withLock({ next(&$0) }) {
        case .known(let reason): reason
        case .awaited(let look): await outcome(of: look)
        }
    }

    private enum Answer {
        case known(Reason?)
        case awaited(Task<Reason?, Never>)
    }

    /// The known answer, or the look in progress. A look begins here if none is in progress.
    private func next(_ state: inout State) -> Answer {
        guard case .serving(let look) = state.phase else {
            if case .draining = state.phase { return .known(.draining) }
            return .known(.starting)
        }
        let now = clock.uptime()
        if let last = state.last, now - last.time < Self.freshness { return .known(last.reason) }
        if let running = state.running {
            return now - running.start > limit ? .known(.storageIsSlow) : .awaited(running.task)
        }
        // The look's end waits for the lock held here. So even a very quick look is in `running` before it ends.
        let task = Task { await self.take(look) }
        state.running = (task, now)
        return .awaited(task)
    }

    /// Milliseconds during which the result of a look is reused.
    private static let freshness: Int64 = 1_000

    private func take(_ look: @Sendable () async throws -> Void) async -> Reason? {
        let reason: Reason?
        do {
            try await look()
            reason = nil
        } catch let failure as TransactionFailure where failure.kind == .full {
            reason = .diskIsFull
        } catch { reason = .storageFails }
        let now = clock.uptime()
        state.withLock { state in
            state.last = (reason, now)
            state.running = nil
        }
        return reason
    }

    /// The result of the look, or ``Reason/storageIsSlow`` after `limit` milliseconds. The caller does not wait for a
    /// disk that hangs.
    private func outcome(of look: Task<Reason?, Never>) async -> Reason? {
        let (answers, continuation) = AsyncStream<Reason?>.makeStream()
        let deadline = Task { [clock, limit] in
            do { try await clock.sleep(milliseconds: limit) } catch { return }
            continuation.yield(.storageIsSlow)
        }
        Task {
            continuation.yield(await look.value)
            continuation.finish()
        }
        defer { deadline.cancel() }
        for await answer in answers { return answer }
        // Reached only if the caller was cancelled.
        return .storageIsSlow
    }
}
