package import Backstitch
package import BackstitchSupport

/// The parts of a synced store before anything runs: the wrapped store, an engine at rest, and the services that carry
/// its effects out.
///
/// For the simulator, which steps the engine itself, so that it can stop the world between any two steps. A store adds
/// its other parts: a lock, a driver, a notifier.
package struct SyncParts: Sendable {
    /// The wrapped store.
    package let backing: any JournalingStore
    /// The engine, with what the store remembers.
    package let engine: SyncEngine
    let options: SyncOptions
    let services: SyncServices

    /// Takes the place of the process that has synced the store until now. Gives what the engine is to be told.
    package func takeOver() throws -> SyncEngine.Event { try services.takeOver(options.scope) }

    /// Reads the options, opens the wrapped store and recalls how far sync has come.
    ///
    /// - Parameters:
    ///   - backing: The wrapped store, when it is open already.
    ///   - workers: Where work on the store runs.
    ///   - executor: Where tasks of its own run.
    ///   - isStandby: Whether another process syncs the store.
    ///   - lead: By what this process leads; nil where nobody else has the store open.
    ///   - resolver: Decides conflicts in place of the policy of the options.
    ///   - assetsPerBatch: Bytes of assets that go with a batch; nil for the usual number.
    package init(
        _ configuration: StoreConfiguration, backing: (any JournalingStore)? = nil, transport: any Transport,
        clock: any WallClock, workers: WorkerPool = WorkerPool(name: "backstitch-sync", limit: 2),
        executor: (any TaskExecutor)? = nil, engine settings: SyncEngine.Settings = .init(),
        isStandby: Bool = false, lead: SyncLeadClaim? = nil, resolver: (any ConflictResolver)? = nil,
        assetsPerBatch: Int64? = nil
    ) throws {
        options = try SyncOptions(configuration.options, model: configuration.model)
        try configuration.storedModel.checkForSync()
        let model = SyncedModel(configuration.model, part: configuration.storedModel)
        let backing =
            try backing
            ?? SyncStore.openBacking(
                configuration, type: SyncStore.backingType(named: options.backingType),
                onRemoteChange: configuration.changeHandler)
        self.backing = backing
        let memory = try backing.openSync(
            scope: options.scope, database: options.database, model: model, largestAsset: options.largestAsset)
        services = SyncServices(
            configuration, options, backing: backing, model: model, memory: memory, transport: transport, clock: clock,
            workers: workers, executor: executor, lead: lead, resolver: resolver)
        if let assetsPerBatch { services.heldUploads.perBatch = assetsPerBatch }
        if let lead, !isStandby { try SyncGeneration(lead: lead).takeLead(of: backing) { _ in } }
        engine = SyncEngine(
            settings, options, memory, isStandby: isStandby, isAccountKnown: services.client.isSignedIn == false)
    }

    /// Does what an effect asks and says what came of it; nil for effects without an outcome.
    package func perform(_ effect: SyncEngine.Effect) async -> SyncEngine.Event? { await services.perform(effect) }

    /// Does at once what an effect asks that ends uploads, before anything else is begun.
    package func endUploads(_ effect: SyncEngine.Effect) { services.endUploads(effect) }
}
