import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The components that the driver's effects use.
struct SyncServices: Sendable {
    /// The wrapped store, with all its zones.
    let backing: any JournalingStore
    /// The wrapped store, limited to the zone.
    var store: any JournalingStore
    var client: CloudClient
    let clock: any WallClock
    /// The time of windows that are noted in the store.
    let time: SteadyTime
    let workers: WorkerPool
    let gate: RequestGate
    var sweep: FullFetchTracker
    var settings: ApplySettings
    /// The program's code that decides conflicts; nil if only the policy decides.
    var resolvers: ConflictResolvers?
    /// Decides what happens after a reset.
    let resets: ResetDecisionProvider
    /// Decides whether the network may be used; nil if it always may.
    var connectivity: (any SyncConnectivity)?
    let transfers: AssetTransfers
    var downloads = DownloadCoalescer()
    var stops = UploadStops()
    /// Assets that are uploaded before their records are sent.
    let heldUploads = HeldUploads()
    /// Gives requested downloads priority over those in the background.
    let turns = DownloadTurns()
    let partials: PartialDownloads
    let changeHandler: @Sendable (StoreChanges) -> Void
    /// The keys of shared zones; nil if the user has no share identity or the model encrypts nothing.
    var zoneKeys: SharedZoneKeys?
    /// The services of the further zones.
    var further = FurtherZones()
    /// The records that the reads of followed queries have met.
    var follows = FollowTracker()
    /// Tells the program that the sync state of objects changed.
    var bell = ObjectStateSignal()
    /// Knows whether all zones were read since news of a move arrived.
    var reading = ZoneReading()

    /// Runs `work` on the store, limited to the zone, on one of sync's threads.
    func onStore<Result: Sendable>(
        _ work: @escaping @Sendable (any JournalingStore) throws -> Result
    ) async throws -> Result {
        try await workers.run { [gate, store] in try gate.pass(orThrow: SyncEngine.closedError) { try work(store) } }
    }

    /// Runs `work` on the store with all its zones, on one of sync's threads.
    func onWholeStore<Result: Sendable>(
        _ work: @escaping @Sendable (any JournalingStore) throws -> Result
    ) async throws -> Result {
        try await workers.run { [gate, backing] in
            try gate.pass(orThrow: SyncEngine.closedError) { try work(backing) }
        }
    }

    /// Tells contexts of changes, before the end of the cycle is reported.
    func announce(_ changes: StoreChanges) {
        guard !changes.isEmpty else { return }
        changeHandler(changes)
        bell.ring()
    }

    /// Runs `work`, which applies records to the store, and repeats it after resolvers have decided the conflicts that
    /// it met.
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

    /// The settings for applying records, updated with the kind of this server's checksums.
    var currentSettings: ApplySettings {
        var settings = settings
        settings.hashesAssets = client.hasExtensions
        return settings
    }

    var batchBuilder: BatchBuilder {
        BatchBuilder(
            model: settings.model, zone: settings.zone, storeIdentifier: store.identifier, limits: client.limits,
            assets: settings.assets, automaticAssets: settings.automaticAssets, generation: settings.generation,
            ring: settings.ring, zoneNumber: settings.zoneNumber, followsMoves: settings.followsMoves,
            isOfOthers: settings.isOfOthers, isPublic: settings.isPublic, validatesParents: !client.hasExtensions,
            uploads: heldUploads, time: clock.uptime())
    }
}
