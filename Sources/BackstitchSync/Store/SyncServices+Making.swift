import Backstitch
import Foundation

extension SyncServices {
    /// What the sync of a store works with, at rest.
    ///
    /// - Parameters:
    ///   - workers: Where work on the store runs.
    ///   - executor: Where tasks of its own run.
    ///   - downloads: Where unfinished downloads are kept; nil for memory.
    ///   - resolver: Decides conflicts in place of the policy of the options.
    ///   - flaws: Bugs on purpose; none but in tests of the simulator.
    init(
        _ configuration: StoreConfiguration, _ options: SyncOptions, backing: any JournalingStore, model: SyncedModel,
        memory: SyncMemory, transport: any Transport, clock: any SyncClock,
        workers: WorkerPool = WorkerPool(name: "backstitch-sync", limit: 2), executor: (any TaskExecutor)? = nil,
        downloads folder: URL? = nil, resolver: (any ConflictResolver)? = nil, flaws: SyncFlaws = []
    ) {
        let device = Self.deviceID(of: backing)
        self.init(
            store: backing, client: CloudClient(options: options, transport: transport, deviceID: device), clock: clock,
            workers: workers, gate: StoreGate(), sweep: SweepMemory(),
            settings: ApplySettings(
                model: model, zone: options.zoneName, resolver: resolver ?? options.policy,
                excludedAssets: options.excludedAssets, assets: backing.assets, device: device, flaws: flaws),
            resolvers: options.resolvers, resets: ResetDesk(options.resets), transfers: AssetTransfers(),
            downloads: DownloadDesk(executor: executor), partials: PartialDownloads(folder),
            changeHandler: configuration.changeHandler)
    }

    /// Names a store among those of its user: the last digits of its identifier, which are random in every version of UUIDs that is.
    private static func deviceID(of store: any JournalingStore) -> String {
        String(store.identifier.uuidString.suffix(8))
    }
}

extension SyncEngine {
    /// An engine at rest that remembers what the store does.
    init(
        _ settings: Settings, _ options: SyncOptions, _ memory: SyncMemory, isStandby: Bool = false,
        isAccountKnown: Bool,
        flaws: SyncFlaws = []
    ) {
        var settings = settings
        settings.isAutomatic = options.isAutomatic
        settings.sendsChanges = !options.isReadOnly
        settings.pollInterval = options.pollInterval
        settings.safetyInterval = max(settings.safetyInterval, options.pollInterval)
        if flaws.contains(.trustsNotifications) {
            settings.safetyInterval = .max / 4
            settings.pollInterval = .max / 4
        }
        self.init(
            settings: settings, isSetUp: memory.isSetUp, isFirstSyncComplete: memory.isFirstSyncComplete,
            isOff: memory.isOff, isStandby: isStandby, isAccountKnown: isAccountKnown)
    }
}
