import Backstitch
import BackstitchSupport
public import Foundation
import HummingbirdCore
import ServiceLifecycle

extension ZoneServer {
    /// Serves until the task is cancelled or the surrounding service group shuts down. Then `/ready` reports draining.
    /// After the configured delay no new connection is taken, waiting long polls are answered, and running requests may
    /// finish within the grace. Requests that have not finished are cut, and the storage is closed.
    ///
    /// - Throws: ``ZoneServerError`` if the storage cannot be opened, the address cannot be listened on, or the server
    ///   ran before.
    public func run() async throws {
        try await run { _ in }
    }

    /// Starts to serve in the background.
    ///
    /// - Returns: the address to reach the server at.
    /// - Throws: as ``run()``.
    public func start() async throws -> URL {
        let (ready, continuation) = AsyncStream<URL>.makeStream()
        let task = Task {
            defer { continuation.finish() }
            try await self.run { continuation.yield($0) }
        }
        state.withLock { $0.task = task }
        for await url in ready { return url }
        // The run has ended without listening, so it has failed.
        try await task.value
        throw ZoneServerError(.wrongState, "the server was stopped before it listened")
    }

    /// Stops a server started by ``start()``, and waits for its end.
    ///
    /// - Throws: the error of its run, or of closing its storage.
    public func stop() async throws {
        let task = state.withLock { $0.task }
        guard let task else { throw ZoneServerError(.wrongState, "the server was not started with start()") }
        await shutDown()
        try await task.value
    }

    /// Waits for the end of a server started by ``start()``, either by a stop or by itself; ``stop()`` throws the
    /// reason. Returns at once for a server that was not started so.
    public func waitUntilEnded() async {
        _ = await state.withLock { $0.task }?.result
    }

    private func run(onListening: @escaping @Sendable (URL) -> Void) async throws {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { throw ZoneServerError(.wrongState, "a server runs once; make another one") }
        try await withAdministration { try await serveZones(onListening: onListening) }
    }

    private func serveZones(onListening: @escaping @Sendable (URL) -> Void) async throws {
        let tls = try await configuration.runner.run { [configuration] in try configuration.transportSecurity?.load() }
        let storage = try await openStorage()
        let assets: (any AssetContentStore)?
        do { assets = try await openAssets(of: storage) } catch {
            try await storage.close()
            throw error
        }
        let zones = ZoneApplication(
            storage: storage, assets: assets, configuration: configuration, readiness: readiness)
        let service = zones.service
        let group = try group(zones, tls, onListening: onListening)
        let isStopping = state.withLock { state in
            state.group = group
            state.service = service
            state.connections = zones.connections
            return state.isStopping
        }
        let result: Result<Void, any Error>
        do {
            if !isStopping {
                try await service.accounts.lookForChanges()
                try await service.pushTokens.removeEnded()
                try await serve(group)
            }
            result = .success(())
        } catch is CancellationError where state.withLock({ $0.isStopping }) {
            // Requests that did not end within the grace were cut.
            result = .success(())
        } catch {
            result = .failure(
                ZoneServerError(listeningOn: listening.host, listening.port, option: "--port", failed: error) ?? error)
        }
        let now = configuration.clock.uptime()
        state.withLock { $0.end }?.end(zones.connections, at: now, configuration.logger)
        let loss = ZoneServerError(noLongerListeningOn: listening.host, listening.port)
        await service.context.push.stage.end()
        let hasLostListener = state.withLock { state in
            state.url = nil
            state.service = nil
            return state.hasLostListener
        }
        try await storage.close()
        try result.get()
        if hasLostListener { throw loss }
    }

    /// The configuration, with the actual port if the system chose it.
    private var listening: ZoneServerConfiguration {
        var configuration = configuration
        if let port = state.withLock({ $0.url?.port }) { configuration.port = port }
        return configuration
    }

    /// Runs the group apart from this task's cancellation. A cancellation becomes a graceful end.
    private func serve(_ group: ServiceGroup) async throws {
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await running.value
            } onGracefulShutdown: {
                Task { await self.shutDown() }
            }
        } onCancel: {
            Task { await self.shutDown() }
        }
    }

    /// Begins the end. A second call during the wait for load balancers ends that wait.
    private func shutDown() async {
        readiness.drain()
        let wait = drainWait()
        await wait?.value
        reportEnd()
        await state.withLock { $0.group }?.triggerGracefulShutdown()
    }

    private func reportEnd() {
        let parts = state.withLock { state -> (ZoneService, ConnectionRegistry)? in
            defer { state.isEndReported = true }
            guard !state.isEndReported, let service = state.service, let connections = state.connections else {
                return nil
            }
            return (service, connections)
        }
        guard let (service, connections) = parts else { return }
        let report = EndReport(
            connections, polls: service.context.push.hub.waiting, grace: configuration.shutdownGrace,
            at: configuration.clock.uptime(), configuration.logger)
        state.withLock { $0.end = report }
    }

    /// The wait for load balancers. Only the first request to stop begins it.
    private func drainWait() -> Task<Void, Never>? {
        let delay = Int64(configuration.drainDelay) * 1_000
        return state.withLock { state in
            defer { state.isStopping = true }
            if state.isStopping || state.hasLostListener || state.url == nil || delay == 0 {
                state.drainWait?.cancel()
                return nil
            }
            let wait = Task { [clock = configuration.clock] in
                do { try await clock.sleep(milliseconds: delay) } catch {
                    // A second request to stop has ended the wait.
                }
            }
            state.drainWait = wait
            return wait
        }
    }

    /// Ends a server that can no longer be reached. Otherwise its open connections would keep it running for ever.
    func listenerClosed() {
        let isLost = state.withLock { state in
            if !state.isStopping { state.hasLostListener = true }
            return state.hasLostListener
        }
        if isLost { Task { await shutDown() } }
    }
}
