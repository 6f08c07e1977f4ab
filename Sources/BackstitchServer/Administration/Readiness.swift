import Backstitch
import BackstitchSQL
import BackstitchSupport

/// Whether a server takes requests.
///
/// Anybody may ask, so the storage is read once a second at most, and at most once at a time.
final class Readiness: Sendable {
    /// Why it takes none.
    enum Reason: String, Sendable {
        case starting, draining
        case storageFails = "the storage fails"
        case storageIsSlow = "the storage is slow"
        case diskIsFull = "the disk is full"
    }

    private enum Phase {
        case starting, draining
        /// With a read of the storage.
        case serving(look: @Sendable () async throws -> Void)
    }

    private struct State {
        var phase = Phase.starting
        /// How the last look at the storage ended, and at which uptime.
        var last: (reason: Reason?, time: Int64)?
        /// The look that goes on, and since when.
        var running: (task: Task<Reason?, Never>, start: Int64)?
    }

    private let clock: any WallClock
    private let limit: Int64
    private let state = Locked(State())

    /// - Parameter limit: Milliseconds that a read of the storage may take.
    init(clock: any WallClock, limit: Int64 = 2_000) {
        self.clock = clock
        self.limit = limit
    }

    /// Notes that requests are taken from now on.
    ///
    /// - Parameter look: Reads a little from the storage.
    func serve(_ look: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            if case .starting = state.phase { state.phase = .serving(look: look) }
        }
    }

    /// Notes that the server stops.
    func drain() { state.withLock { $0.phase = .draining } }

    /// Why no request should be sent here now; nil when all is well.
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

    /// The answer that is known, or the look that tells it, which begins here where none goes on.
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
        // However soon it ends, it waits for the state then, and finds itself noted there.
        let task = Task { await self.take(look) }
        state.running = (task, now)
        return .awaited(task)
    }

    /// Milliseconds for which a look at the storage stands for the next ones.
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

    /// How the look ends, or that it has taken too long: a disk that does not answer is not waited for.
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
        // Only a caller that has gone comes here.
        return .storageIsSlow
    }
}
