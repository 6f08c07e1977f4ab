public import Backstitch
import BackstitchSupport
package import Logging

/// A store that wraps another one and syncs it with a zone server.
///
/// All reads and writes use the wrapped store, at its speed, even without a connection to the server. A save writes its
/// changes and their outbox entries in one transaction. Sync sends them to the server and applies the changes of others
/// here, in steps of one transaction each. A crash between any two steps loses nothing and repeats nothing.
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(
///     type: .sync, url: directory, options: [.syncServerURL: "https://example.org", .backingStoreType: "SQLite"]))
/// ```
/// The URL is a directory, which is created if it is missing (readable by its owner only). Without a URL the store is
/// in memory. The URL of an existing file is that of the wrapped store: a local store becomes a synced one, and its
/// objects are sent once. A URL that is no file URL is passed to the wrapped store unchanged.
///
/// With a configuration the store holds, and syncs, only its entities. Other stores of the container hold the others,
/// which stay local.
///
/// Several processes may have the store open. One of them syncs it and also sends the changes that the others save;
/// they see the changes that it receives (``SyncStatus/State/standby``). When it ends, another one takes over.
///
/// The model must allow objects to arrive in any order: attributes are optional or have a default, relationships are
/// optional. ``Backstitch/PropertyDescription/synced(_:)`` and ``Backstitch/EntityDescription/synced(where:)`` decide
/// which parts stay local.
public final class SyncStore: PersistentStore {
    /// The name of the store type: `"Sync"`.
    public static let typeName = "Sync"

    let backing: any JournalingStore
    /// The controller of the store's sync.
    public let sync: SyncController
    let options: SyncOptions
    private let notifier: SyncNotifier
    private let gate: RequestGate
    private let driver: SyncDriver
    private let lead: SyncLead

    /// Returns the options of sync, and those of the wrapped store's type.
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
    ///   ``BackstitchError/Code/unknownStoreType`` when the wrapped type is not known;
    ///   ``BackstitchError/Code/storeFailure`` when others have the store open and sync it with another zone; the
    ///   errors of the wrapped store.
    public convenience init(_ configuration: StoreConfiguration) throws {
        let clock = SystemClock()
        let trustRoots: String? = configuration.options.value(.syncTrustRoots)
        try self.init(
            configuration, transport: try HTTPTransport(clock: clock, trustRoots: trustRoots), clock: clock,
            random: SystemChance.generator)
    }

    /// Opens a store over another transport, clock or source of randomness.
    package init(
        _ configuration: StoreConfiguration, transport: any Transport, clock: any WallClock,
        random: any RandomNumberGenerator & Sendable, engine settings: SyncEngine.Settings = .init(),
        logger: Logger = Logger(label: "backstitch.sync")
    ) throws {
        guard !configuration.isReadOnly else {
            throw BackstitchError(
                .invalidRequest,
                "a synced store is written by sync, and cannot be read-only; give the option syncReadOnly for one that only "
                    + "follows its zone, or open the store that it wraps, by its own type"
            )
        }
        var options = try SyncOptions(configuration.options, model: configuration.model)
        try configuration.storedModel.checkForSync()
        let model = SyncedModel(configuration.model, part: configuration.storedModel)
        let type = try Self.backingType(named: options.backingType)
        options.credentialStore =
            options.credentialStore ?? Self.credentials(of: configuration.url, type: type).map(SyncCredentialFile.init)
        self.options = options
        let remoteSaves = Locked<(@Sendable () -> Void)?>(nil)
        backing = try Self.openBacking(configuration, type: type) { changes in
            configuration.changeHandler(changes)
            remoteSaves.withLock { $0 }?()
        }
        try PartialDownloads(Self.downloads(of: configuration.url, type: type)).sweep(at: clock.milliseconds())
        lead = try SyncLead(
            of: backing, at: Self.place(of: configuration.url, type: type), scope: options.scope,
            holder: configuration.generator.next().uuidString, clock: clock)
        let (memory, isLeader) = try lead.enter(
            backing, model, in: options.database, largestAsset: options.largestAsset)
        notifier = SyncNotifier(logger: logger)
        let services = SyncServices(
            configuration, options, backing: backing, model: model, memory: memory, transport: transport, clock: clock,
            lead: lead.claim, downloads: Self.downloads(of: configuration.url, type: type))
        gate = services.gate
        services.zoneKeys?.onEvent { [weak notifier] in notifier?.tell($0) }
        driver = SyncDriver(
            engine: SyncEngine(
                settings, options, memory, isStandby: !isLeader, isAccountKnown: services.client.isSignedIn == false),
            services: services, notifier: notifier, random: random)
        sync = SyncController(services: services, driver: driver, notifier: notifier)
        notifier.setStore(self)
        if options.isAutomatic {
            driver.followConnectivity()
            driver.tell(.trigger(.storeAdded, ticket: nil))
        }
        let sendsSaves = options.isAutomatic && options.syncsOnSave
        // The references are weak, because both hold the wrapped store, which holds this closure.
        let onRemoteSave: @Sendable () -> Void = { [weak driver, weak bell = services.bell] in
            bell?.ring()
            if sendsSaves { driver?.tell(.trigger(.localSave, ticket: nil)) }
        }
        remoteSaves.withLock { $0 = onRemoteSave }
        lead.begin(services, driver, isLeader: isLeader)
    }

    deinit {
        lead.end()
        driver.shutDown()
    }

    /// Stops sync, waits for the running step (five seconds at most), and closes the wrapped store. Unsent changes stay
    /// recorded.
    public func close() throws {
        lead.end()
        driver.shutDown()
        gate.close(waiting: 5)
        lead.release()
        try backing.close()
    }

    /// Writes a save in one transaction: rows, links, history and outbox entries. The entries are pending, or blocked
    /// if the changes stay here (``Backstitch/StoreOption/syncAuthors``). The call does not wait for the network.
    ///
    /// - Throws: The wrapped store's errors, and ``BackstitchError/Code/readOnly`` under the option
    ///   ``Backstitch/StoreOption/syncReadOnly``; nothing is stored then.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        try options.requireWriting()
        var request = request
        request.isHeld = options.sentSaves.hold(author: request.author, contextName: request.contextName)
        let result = try backing.save(request)
        noteSave(isHeld: request.isHeld)
        return result
    }

    /// Carries out a batch request in one transaction, with outbox entries for its changes. The call does not wait for
    /// the network.
    ///
    /// - Throws: The wrapped store's errors, and ``BackstitchError/Code/readOnly`` under the option
    ///   ``Backstitch/StoreOption/syncReadOnly``; nothing is stored then.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        try options.requireWriting()
        var request = request
        request.isHeld = options.sentSaves.hold(author: request.author, contextName: request.contextName)
        let changes = try backing.execute(request)
        noteSave(isHeld: request.isHeld || changes.isEmpty)
        return changes
    }

    private func noteSave(isHeld: Bool) {
        sync.services.bell.ring()
        if !isHeld, options.syncsOnSave, options.isAutomatic { driver.tell(.trigger(.localSave, ticket: nil)) }
    }
}
