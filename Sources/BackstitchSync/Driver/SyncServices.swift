import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The parts that the driver's effects work with.
struct SyncServices: Sendable {
    /// The wrapped store, with all its zones.
    let backing: any JournalingStore
    /// The same as the zone sees it.
    var store: any JournalingStore
    var client: CloudClient
    let clock: any WallClock
    let workers: WorkerPool
    let gate: RequestGate
    var sweep: FullFetchTracker
    var settings: ApplySettings
    /// Code that decides conflicts; nil when the policy alone does.
    var resolvers: ConflictResolvers?
    /// Decides about resets.
    let resets: ResetDecisionProvider
    /// Says whether the network may be used; nil where it always may.
    var connectivity: (any SyncConnectivity)?
    let transfers: AssetTransfers
    var downloads = DownloadCoalescer()
    var stops = UploadStops()
    /// Assets whose records wait until the server has the bytes.
    let heldUploads = HeldUploads()
    /// Lets downloads that somebody waits for go first.
    let turns = DownloadTurns()
    let partials: PartialDownloads
    let changeHandler: @Sendable (StoreChanges) -> Void
    /// The keys of zones that are shared; nil where the user has no share identity, or the model nothing encrypted.
    var zoneKeys: SharedZoneKeys?
    /// The services of the zones beside the main one.
    var further = FurtherZones()
    /// The records that the readings of followed queries have met.
    var follows = FollowTracker()
    /// Tells the program that objects stand otherwise with the server.
    var bell = ObjectBell()
    /// Tells when all zones were read since news of a move were met.
    var reading = ZoneReading()

    /// Runs `work` on the store as the zone sees it, on a thread of sync's own.
    func onStore<Result: Sendable>(
        _ work: @escaping @Sendable (any JournalingStore) throws -> Result
    ) async throws -> Result {
        try await workers.run { [gate, store] in try gate.pass(orThrow: SyncEngine.closedError) { try work(store) } }
    }

    /// Runs `work` on the store with all its zones, on a thread of sync's own.
    func onWholeStore<Result: Sendable>(
        _ work: @escaping @Sendable (any JournalingStore) throws -> Result
    ) async throws -> Result {
        try await workers.run { [gate, backing] in
            try gate.pass(orThrow: SyncEngine.closedError) { try work(backing) }
        }
    }

    /// Tells contexts of changes; before anybody is told that a cycle has ended.
    func announce(_ changes: StoreChanges) {
        guard !changes.isEmpty else { return }
        changeHandler(changes)
        bell.ring()
    }

    /// Runs `work`, which brings records into the store, as often as it meets conflicts that resolvers must decide
    /// first.
    func resolving<Result>(_ work: (ApplySettings) async throws -> Result) async throws -> Result {
        var settings = currentSettings
        guard let resolvers, let policy = settings.resolver as? ConflictResolutionPolicy else {
            return try await askingForKeys { try await work(settings) }
        }
        let desk = DeferredConflictResolver(policy: policy, resolvers: resolvers)
        settings.resolver = desk
        while true {
            do { return try await askingForKeys { try await work(settings) } } catch is OpenConflicts {
                try await desk.answer()
            }
        }
    }

    /// The settings for applying records, and whether this server's checksums of assets are hashes.
    var currentSettings: ApplySettings {
        var settings = settings
        settings.hashesAssets = client.hasExtensions
        return settings
    }

    var batchBuilder: BatchBuilder {
        let hasMainZone = client.options.database.hasMainZone
        return BatchBuilder(
            model: settings.model, zone: settings.zone, storeIdentifier: store.identifier, limits: client.limits,
            assets: settings.assets, automaticAssets: settings.automaticAssets, generation: settings.generation,
            ring: settings.ring, zoneNumber: settings.zoneNumber, followsMoves: settings.followsMoves,
            isBehind: { [reading] in reading.isBehind(inZone: $0, hasMainZone: hasMainZone) },
            isOfOthers: settings.isOfOthers, isPublic: settings.isPublic, validatesParents: !client.hasExtensions,
            uploads: heldUploads, time: clock.uptime())
    }
}
