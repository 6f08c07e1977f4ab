import Backstitch
import BackstitchSupport
import Foundation

extension SyncServices {
    /// Creates the services for the sync of a store, at rest.
    ///
    /// - Parameters:
    ///   - workers: The threads for work on the store.
    ///   - executor: The executor of its tasks.
    ///   - lead: The proof of this process's lead; nil if the store cannot be open elsewhere.
    ///   - downloads: The folder for unfinished downloads; nil for memory.
    ///   - resolver: Decides conflicts instead of the policy in the options.
    init(
        _ configuration: StoreConfiguration, _ options: SyncOptions, backing: any JournalingStore, model: SyncedModel,
        memory: PersistedSyncState, transport: any Transport, clock: any WallClock,
        workers: WorkerPool = WorkerPool(name: "backstitch-sync", limit: 2), executor: (any TaskExecutor)? = nil,
        lead: SyncLeadClaim? = nil, downloads folder: URL? = nil, resolver: (any ConflictResolver)? = nil
    ) {
        let device = Self.deviceID(of: backing)
        let bell = ObjectStateSignal()
        let gate = RequestGate()
        let zoneKeys =
            model.hasEncryption && options.database != .public
            ? options.shareIdentity.map {
                SharedZoneKeys($0, options, backing: backing, workers: workers, gate: gate)
            } : nil
        let keys = model.hasEncryption ? zoneKeys ?? options.encryptionKeys : nil
        self.init(
            backing: backing, store: ZoneStore(backing, zone: 0),
            client: CloudClient(options: options, transport: transport, deviceID: device, workers: workers),
            clock: clock, time: SteadyTime(clock), workers: workers, gate: gate, sweep: FullFetchTracker(),
            settings: ApplySettings(
                model: model, zone: options.zoneName, names: ZoneNames(options),
                isOfOthers: options.database == .public,
                isPublic: options.database == .public, resolver: resolver ?? options.policy,
                excludedAssets: options.excludedAssets,
                automaticAssetSize: options.automaticAssetSize, largestAsset: options.largestAsset,
                followsMoves: options.database != .public,
                mayMove: options.database == .private && !options.isReadOnly, assets: backing.assets, device: device,
                generator: configuration.generator, generation: SyncGeneration(lead: lead, scope: options.scope),
                ring: keys.map { EncryptionKeyRing($0, zone: "") }),
            resolvers: options.resolvers, resets: ResetDecisionProvider(options.resets),
            connectivity: (options.connectivity as? NetworkMonitor).map { NetworkGate($0, clock: clock) }
                ?? options.connectivity,
            transfers: AssetTransfers(bell),
            downloads: DownloadCoalescer(executor: executor), stops: UploadStops(executor: executor),
            partials: PartialDownloads(folder), changeHandler: configuration.changeHandler, zoneKeys: zoneKeys,
            bell: bell)
    }

    /// Takes over from the process that has synced the store until now: the running steps of that one are rejected.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the store now belongs to another zone; the store's errors.
    func takeOver(_ scope: String) throws -> SyncEngine.Event {
        try settings.generation.takeLead(of: store) { journal in
            let known = try journal.value(of: .scope)
            guard known == scope else { throw BackstitchError.syncedElsewhere(known ?? "none", not: scope) }
        }
        // Another process may have applied pages. After a reset, the next read of the store would not show that.
        sweep.end()
        further.endSweeps()
        let memory = try store.syncMemory()
        return .tookOver(
            isSetUp: memory.isSetUp, isFirstSyncComplete: memory.isFirstSyncComplete, isOff: memory.isOff)
    }

    /// Returns a name for the store among those of its user: the last digits of its identifier. They are random in
    /// every UUID version in use.
    private static func deviceID(of store: any JournalingStore) -> String {
        String(store.identifier.uuidString.suffix(8))
    }
}

extension SyncEngine {
    /// Creates an engine at rest with the store's saved state.
    init(
        _ settings: Settings, _ options: SyncOptions, _ memory: PersistedSyncState, isStandby: Bool = false,
        isAccountKnown: Bool
    ) {
        var settings = settings
        settings.isAutomatic = options.isAutomatic
        settings.hasMainZone = options.database.hasMainZone
        settings.asksConnectivity = options.connectivity != nil
        settings.sendsChanges = !options.isReadOnly
        settings.pollInterval = options.pollInterval
        settings.safetyInterval = max(settings.safetyInterval, options.pollInterval)
        self.init(
            settings: settings, isSetUp: memory.isSetUp, isFirstSyncComplete: memory.isFirstSyncComplete,
            isZoneUnread: memory.isZoneUnread, isOff: memory.isOff, isStandby: isStandby, isAccountKnown: isAccountKnown
        )
    }
}
