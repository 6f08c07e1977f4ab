public import Backstitch
import Logging

/// A store that wraps another one and keeps it in step with a zone server.
///
/// Everything is read from and written to the wrapped store, at its speed, whether the server can be reached or not. A
/// save writes its changes and the note that they are unsent in one transaction; sync moves them to the server, and the
/// changes of others here, in steps of which each is one transaction too. A crash between any two loses nothing and
/// doubles nothing.
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(
///     type: .sync, url: directory, options: [.syncServerURL: "https://example.org", .backingStoreType: "SQLite"]))
/// ```
/// The URL is a directory, which is made where there is none (readable by its owner only); without one the store is in
/// memory. A URL that names no file is handed to the wrapped store as it is.
///
/// The model must be such that objects can arrive in any order: attributes are optional or have a default,
/// relationships are optional.
public final class SyncStore: PersistentStore {
    /// `"Sync"`.
    public static let typeName = "Sync"

    let backing: any JournalingStore
    /// Steers the sync.
    public let sync: SyncController
    private let options: SyncOptions
    private let notifier: SyncNotifier
    private let gate: StoreGate
    private let driver: SyncDriver

    /// The options of sync, and those of the wrapped store's type.
    public static func optionSpecifications(
        for options: [StoreOption: any Sendable]
    ) throws -> [OptionSpecification] {
        let name = options[.backingStoreType].map { "\($0)" } ?? SyncOptions.defaultBackingType
        let known = Set(SyncOptions.specifications.map(\.option))
        return SyncOptions.specifications
            + (try backingType(named: name).optionSpecifications(for: options)).filter { !known.contains($0.option) }
    }

    /// Opens the wrapped store, and begins to sync it unless ``Backstitch/StoreOption/syncAutomatically`` is false.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` and ``BackstitchError/Code/invalidModel`` with every fault;
    ///   ``BackstitchError/Code/unknownStoreType`` when the wrapped type is not known; what the wrapped store throws.
    public convenience init(_ configuration: StoreConfiguration) throws {
        let clock = SystemSyncClock()
        try self.init(
            configuration, transport: HTTPTransport(clock: clock), clock: clock, random: SystemSyncClock.random)
    }

    /// Opens a store over another transport, clock or source of randomness.
    package init(
        _ configuration: StoreConfiguration, transport: any Transport, clock: any SyncClock,
        random: any RandomNumberGenerator & Sendable, engine settings: SyncEngine.Settings = .init()
    ) throws {
        guard !configuration.isReadOnly else {
            throw BackstitchError(
                .invalidRequest,
                "a synced store is written by sync, and cannot be read-only; open the store that it wraps, by its own type"
            )
        }
        guard configuration.part == nil else {
            throw BackstitchError(
                .invalidRequest,
                "a synced store holds the whole model, not a configuration of it; give what shall not be synced a model and a "
                    + "container of its own", key: configuration.part)
        }
        options = try SyncOptions(configuration.options, model: configuration.model)
        try configuration.model.checkForSync()
        backing = try Self.openBacking(configuration, type: Self.backingType(named: options.backingType))
        let memory = try backing.openSync(scope: options.scope, model: configuration.model)
        notifier = SyncNotifier(logger: Logger(label: "backstitch.sync"))
        gate = StoreGate()
        let services = SyncServices(
            store: backing, client: CloudClient(options: options, transport: transport), clock: clock,
            workers: WorkerPool(name: "backstitch-sync", limit: 2), gate: gate, sweep: SweepMemory(),
            settings: ApplySettings(
                model: SyncedModel(configuration.model), zone: options.zoneName, resolver: options.policy,
                excludedAssets: options.excludedAssets, assets: backing.assets,
                sentInserts: SentInserts(attempted: memory.attempted)),
            transfers: AssetTransfers(), changeHandler: configuration.changeHandler)
        var settings = settings
        settings.isAutomatic = options.isAutomatic
        settings.pollInterval = options.pollInterval
        settings.safetyInterval = max(settings.safetyInterval, options.pollInterval)
        driver = SyncDriver(
            engine: SyncEngine(
                settings: settings, isSetUp: memory.isSetUp, isFirstSyncComplete: memory.isFirstSyncComplete),
            services: services, notifier: notifier, random: random)
        sync = SyncController(services: services, driver: driver, notifier: notifier)
        notifier.setStore(self)
        if options.isAutomatic { driver.tell(.trigger(.storeAdded, ticket: nil)) }
    }

    deinit { driver.shutDown() }

    /// Stops sync, waits for the step under way (five seconds at most), and closes the wrapped store. What is unsent
    /// stays noted.
    public func close() throws {
        driver.shutDown()
        gate.shut(waiting: 5)
        try backing.close()
    }

    /// Writes a save in one transaction: rows, links, history, and the note that they are unsent. Returns without
    /// waiting for the network.
    ///
    /// - Throws: What the wrapped store throws; nothing is stored then.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        let result = try backing.save(request)
        if options.syncsOnSave, options.isAutomatic { driver.tell(.trigger(.localSave, ticket: nil)) }
        return result
    }

    /// Carries a batch request out in one transaction, with the note that its changes are unsent. Returns without waiting for
    /// the network.
    ///
    /// - Throws: What the wrapped store throws; nothing is stored then.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        let changes = try backing.execute(request)
        if !changes.isEmpty, options.syncsOnSave, options.isAutomatic {
            driver.tell(.trigger(.localSave, ticket: nil))
        }
        return changes
    }
}
