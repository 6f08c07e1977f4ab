public import Foundation

/// A store: it keeps rows for the coordinator. To keep rows in a place of your own, implement the protocol and register
/// the type: `StoreRegistry.register(MyStore.self)`.
///
/// Calls block until they are done, and may come from several threads at once. A reader sees only complete saves.
public protocol PersistentStore: StoreReading, AnyObject, Sendable {
    /// The name of the type in descriptions, `"SQLite"` for instance.
    static var typeName: String { get }

    /// Returns the options of the type, in addition to those of every store.
    static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification]

    /// Opens the store, and creates it if it does not exist.
    ///
    /// - Throws: A ``BackstitchError`` if it cannot be opened with this model and these options. An existing store then
    ///   stays as it was.
    init(_ configuration: StoreConfiguration) throws

    /// Returns the changes needed to bring the store to the configuration's model, without making them. Nil if no
    /// change is needed, or there is no store.
    ///
    /// - Throws: The error that ``init(_:)`` would throw because of the model. Stores that do not migrate throw
    ///   ``BackstitchError/Code/invalidRequest``.
    static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan?

    /// Removes a store with everything that belongs to it. Nothing happens if there is no store.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` if the place has other content, which then stays;
    ///   ``BackstitchError/Code/storeFailure`` if the store is in use. Stores that cannot be removed throw
    ///   ``BackstitchError/Code/invalidRequest``.
    static func destroy(at url: URL?, options: StoreOptions) throws

    /// Identifies the store's content; it is made when the store is created.
    var identifier: UUID { get }

    /// Writes a save. First the bytes of its rows (``SaveChangesRequest/assets``) are written durably. Then one
    /// transaction writes rows, links and history, and the outbox if there is one.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose stored row was deleted or has
    ///   another version, and for each inserted object that exists already. After any error nothing of the request is
    ///   stored.
    func save(_ request: SaveChangesRequest) throws -> SaveResult

    /// Inserts, changes or deletes many rows in one transaction, with history, and with the outbox if there is one.
    ///
    /// - An insert takes its rows part by part and keeps none of them in memory. The closures of the request may read
    ///   the store.
    /// - The bytes of the request, or of a part of it, are stored before the rows that name them.
    /// - An update raises the versions of the rows that it changes. Rows that already have the values stay as they are;
    ///   see ``RowBatch/applying(_:)``.
    /// - A delete applies the delete rules: cascade deletes, and nullify unlinks (and raises versions). Links of
    ///   many-to-many relationships are removed.
    ///
    /// - Returns: The inserted, changed and deleted objects; unlinked objects count as changed.
    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each object kept by a deny rule,
    ///   ``BackstitchError/Code/saveConflict`` if an inserted row already exists. After any error nothing is stored.
    func execute(_ request: StoreBatchRequest) throws -> StoreChanges

    /// Returns the present state of the store, still readable after later changes; nil if the store has no snapshots.
    func makeSnapshot() throws -> (any StoreSnapshot)?

    /// The storage for bytes outside the store's rows.
    var assets: any AssetStorage { get }

    /// Whether bytes of rows may normally be elsewhere, on a server for instance. Then a property of `Data` reads as
    /// nil while its bytes are missing here, and the store reports the states of its assets. Otherwise missing bytes
    /// are lost, and reading them is an error. The default is false.
    var hasAssetsElsewhere: Bool { get }

    /// Deletes bytes that are no longer named, and returns the number of deleted contents. It keeps the bytes named by
    /// rows, by merge bases of the outbox, and by a state of the store that is still read (``makeSnapshot()``). A save
    /// at the same time loses none of its bytes. If this cannot be decided at the moment, nothing is deleted.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` if names cannot be read or bytes cannot be removed.
    func collectAssets() throws -> Int

    /// The store with the history: the store itself, or one that it wraps; nil if there is none.
    var journal: (any JournalingStore)? { get }

    /// Whether other processes normally write to the store. Then a row read for one context may be outdated for the
    /// next, so later contexts read it again. The default is false.
    var isWrittenByOthers: Bool { get }

    /// The number of requests served at the same time; further ones wait. A container has as many threads for
    /// `perform`, unless ``StoreOption/maximumConcurrency`` sets another number. The default is 8.
    var concurrency: Int { get }

    /// Ends the store's work and closes its files. Later requests throw ``BackstitchError/Code/storeClosed``.
    func close() throws
}

extension PersistentStore {
    /// False: only this process writes to the store, or the store reports other writes before they are read.
    public var isWrittenByOthers: Bool { false }

    /// False: all bytes named by rows are here.
    public var hasAssetsElsewhere: Bool { false }

    /// Eight: a usual number of connections.
    public var concurrency: Int { 8 }

    /// Deletes nothing, and returns zero.
    public func collectAssets() throws -> Int { 0 }

    /// No snapshots, by default.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { nil }

    /// The store itself, if it keeps a journal.
    public var journal: (any JournalingStore)? { self as? any JournalingStore }

    /// No options of its own.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        []
    }

    /// Refuses the removal: the default for a store type.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        throw BackstitchError(.invalidRequest, "stores of the type \(typeName) cannot be removed from here")
    }

    /// Refuses the migration: the default for a store type.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        throw BackstitchError(.invalidRequest, "stores of the type \(typeName) do not migrate")
    }
}
