import Backstitch
import BackstitchSupport
import Logging

/// Runs the engine: it receives events, carries out the engine's effects, and reports their results back.
actor SyncDriver {
    private var engine: SyncEngine
    private let services: SyncServices
    private let notifier: SyncNotifier
    private let random: Locked<any RandomNumberGenerator & Sendable>
    private var waiters: [Int: CheckedContinuation<SyncSummary, any Error>] = [:]
    private var nextTicket = 0
    /// The totals of automatic cycles since a caller last received a result.
    private var untold: SyncEngine.Totals?
    private var timers: [SyncEngine.Timer: Int] = [:]

    nonisolated private let tasks = TaskRegistry()
    nonisolated private let mailbox: AsyncStream<SyncEngine.Event>.Continuation
    nonisolated private let board: Locked<SyncStatus>

    init(
        engine: SyncEngine, services: SyncServices, notifier: SyncNotifier,
        random: any RandomNumberGenerator & Sendable
    ) {
        self.engine = engine
        self.services = services
        self.notifier = notifier
        self.random = Locked(random)
        board = Locked(engine.status)
        let (events, mailbox) = AsyncStream.makeStream(of: SyncEngine.Event.self)
        self.mailbox = mailbox
        // The loop ends when the mailbox is finished, at shutdown.
        Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await self.take(event)
            }
        }
    }

    /// Sends an event to the engine, and returns at once.
    nonisolated func tell(_ event: SyncEngine.Event) { mailbox.yield(event) }

    /// Begins a cycle, from now on, whenever the permission to use the network may have changed.
    nonisolated func followConnectivity() {
        guard let changes = services.connectivity?.connectivityChanges else { return }
        tasks.run { [mailbox] in
            for await _ in changes { mailbox.yield(.trigger(.networkState, ticket: nil)) }
        }
    }

    /// The engine's status, without counts.
    nonisolated var status: SyncStatus { board.withLock { $0 } }

    /// Waits for a cycle that begins after this call.
    func sync(_ reason: SyncReason) async throws -> SyncSummary {
        let ticket = nextTicket
        nextTicket += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiters[ticket] = continuation
                if case .terminated = mailbox.yield(.trigger(reason, ticket: ticket)) {
                    answer([ticket], .failure(SyncEngine.closedError))
                }
            }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
    }

    /// Stops everything. Running work on the store is not interrupted; the gate knows when it has ended.
    nonisolated func shutDown() {
        mailbox.yield(.closed)
        mailbox.finish()
        tasks.cancelAll()
        services.bell.close()
    }

    private func abandon(_ ticket: Int) { answer([ticket], .failure(CancellationError())) }

    private func take(_ event: SyncEngine.Event) {
        let word = random.withLock { $0.next() }
        let effects = engine.step(
            event, at: services.clock.uptime(), date: services.clock.milliseconds(), random: word)
        let status = engine.status
        board.withLock { $0 = status }
        services.bell.ring()
        log(effects)
        for effect in effects { perform(effect) }
    }

    /// Logs the failures, and the time of the next try.
    private func log(_ effects: [SyncEngine.Effect]) {
        let now = services.clock.uptime()
        var nextTry: Int64?
        for case .setTimer(let timer, let time) in effects where timer != .step && timer != .pushListener {
            nextTry = time
        }
        for effect in effects {
            switch effect {
            case .setTimer(.step, let time):
                notifier.logRetry(
                    of: engine.cycle?.failure?.error, number: engine.cycle?.retries ?? 0, wait: max(time - now, 0))
            case .report(.failed(let error, let tickets)):
                notifier.logFailure(error, wait: nextTry.map { max($0 - now, 0) }, isAwaited: !tickets.isEmpty)
            default: break
            }
        }
    }

    private func perform(_ effect: SyncEngine.Effect) {
        switch effect {
        case .report(let report): tell(report)
        case .refuse(let ticket, let error): answer([ticket], .failure(error))
        case .setTimer(let timer, let time): set(timer, at: time)
        case .cancelTimer(let timer): cancel(timer)
        case .stopUploads, .forgetUploads: services.endUploads(effect)
        case .cancelAll:
            tasks.cancelAll()
            notifier.close()
        default:
            tasks.run { [services, mailbox] in
                if let event = await services.perform(effect) { mailbox.yield(event) }
            }
        }
    }

    private func tell(_ report: SyncEngine.Report) {
        switch report {
        case .started(let reason): notifier.tell(.started(reason))
        case .progress(var progress):
            progress.transfers = services.transfers.progress
            notifier.tell(.progress(progress))
        case .finished(let summary, let tickets):
            endTransfers()
            notifier.tell(.finished(summary))
            tell(summary, to: tickets)
        case .failed(let error, let tickets):
            endTransfers()
            notifier.tell(.failed(error))
            answer(tickets, .failure(error))
        }
    }

    /// Ends the transfers of the ended cycle, except uploads that continue outside the cycles.
    private func endTransfers() {
        if !engine.uploads.isUnderWay { services.transfers.endUploads() }
        services.bell.allSettled()
    }

    /// Returns to the callers the totals since the last result.
    private func tell(_ summary: SyncSummary, to tickets: [Int]) {
        // The callers may all have been cancelled.
        if tickets.allSatisfy({ waiters[$0] == nil }) {
            untold = untold ?? SyncEngine.Totals(reason: summary.reason)
            untold?.add(summary, isAsked: false)
        } else if var all = untold {
            untold = nil
            all.add(summary, isAsked: true)
            answer(tickets, .success(all.summary()))
        } else {
            answer(tickets, .success(summary))
        }
    }

    private func answer(_ tickets: [Int], _ result: Result<SyncSummary, any Error>) {
        for ticket in tickets { waiters.removeValue(forKey: ticket)?.resume(with: result) }
    }

    private func set(_ timer: SyncEngine.Timer, at time: Int64) {
        cancel(timer)
        timers[timer] = tasks.run { [services, mailbox] in
            guard (try? await services.clock.sleep(untilUptime: time)) != nil else { return }
            mailbox.yield(.timerFired(timer))
        }
    }

    private func cancel(_ timer: SyncEngine.Timer) {
        if let task = timers.removeValue(forKey: timer) { tasks.cancel(task) }
    }
}
