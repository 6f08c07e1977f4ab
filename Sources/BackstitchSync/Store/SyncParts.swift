package import Backstitch
package import BackstitchSupport

/// The parts of a synced store before anything runs: the wrapped store, an engine at rest, and the services that carry
/// out its effects.
///
/// It is for the simulator, which steps the engine itself and can stop the world between any two steps. A store adds
/// its other parts: a lock, a driver, a notifier.
package struct SyncParts: Sendable {
    /// The wrapped store of the synced one.
    package let backing: any JournalingStore
    /// The engine, with the store's saved state.
    package let engine: SyncEngine
    let options: SyncOptions
    let services: SyncServices

    /// Takes over from the process that has synced the store until now. Returns the event for the engine.
    package func takeOver() throws -> SyncEngine.Event { try services.takeOver(options.scope) }

    /// Reads the options, opens the wrapped store and reads the stored state of sync.
    ///
    /// - Parameters:
    ///   - backing: The wrapped store, if it is already open.
    ///   - workers: The threads for work on the store.
    ///   - executor: The executor of its tasks.
    ///   - isStandby: Whether another process syncs the store.
    ///   - lead: The proof of this process's lead; nil if the store is not open elsewhere.
    ///   - resolver: Decides conflicts instead of the policy in the options.
    ///   - assetsPerBatch: The most bytes of assets in one batch; nil for the usual number.
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

    /// Carries out an effect and returns its result as an event; nil for effects without a result.
    package func perform(_ effect: SyncEngine.Effect) async -> SyncEngine.Event? { await services.perform(effect) }

    /// Carries out an effect that ends uploads, at once and before anything else begins.
    package func endUploads(_ effect: SyncEngine.Effect) { services.endUploads(effect) }
}
