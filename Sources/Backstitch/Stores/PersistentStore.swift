public import Foundation

/// A store: where the coordinator keeps rows. Implement it to keep them where you like, and register the type:
/// `StoreRegistry.register(MyStore.self)`.
///
/// Calls block until they are done, and may come from several threads at once. A store shows each reader only whole
/// saves.
public protocol PersistentStore: StoreReading, AnyObject, Sendable {
    /// The name under which descriptions ask for it, `"SQLite"` for instance.
    static var typeName: String { get }

    /// The options that it takes, beside those that every store takes.
    static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification]

    /// Opens the store, and creates it where there is none yet.
    ///
    /// - Throws: A ``BackstitchError`` when it cannot be opened with this model and these options; whatever is there
    ///   stays as it was.
    init(_ configuration: StoreConfiguration) throws

    /// Returns the changes that opening the store would make to bring it to the configuration's model, without making
    /// them; nil when there is nothing to do, or there is no store.
    ///
    /// - Throws: The error that ``init(_:)`` would throw because of the model. Stores that do not migrate throw
    ///   ``BackstitchError/Code/invalidRequest``.
    static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan?

    /// Removes a store with all that belongs to it; nothing happens when there is none.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` when something else is there, which then stays;
    ///   ``BackstitchError/Code/storeFailure`` when the store is in use. Stores that cannot be removed throw
    ///   ``BackstitchError/Code/invalidRequest``.
    static func destroy(at url: URL?, options: StoreOptions) throws

    /// Names the store's content; made when it is created.
    var identifier: UUID { get }

    /// Writes a save: first the bytes that its rows name (``SaveChangesRequest/assets``), durably, then in one
    /// transaction rows, links, history, and the outbox where there is one.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose stored row has another
    ///   version or is gone (or, inserted, is there already). After any error nothing of the request is stored.
    func save(_ request: SaveChangesRequest) throws -> SaveResult

    /// Inserts, changes or deletes many rows in one transaction, with history, and the outbox where there is one.
    ///
    /// - An insert takes its rows part by part and keeps none of them in memory. The closures of the request may read
    ///   the store.
    /// - The bytes that come with the request or a part of it are kept before the rows that name them are.
    /// - An update raises the versions of the rows that it changes. Rows that have the values already stay as they are;
    ///   see ``RowBatch/applying(_:)``.
    /// - A delete carries the delete rules out: cascade deletes, nullify unlinks (and raises versions), links of
    ///   many-to-many relationships go.
    ///
    /// - Returns: The objects that were inserted, changed (unlinked objects as well) and deleted.
    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each object that a deny rule keeps,
    ///   ``BackstitchError/Code/saveConflict`` when an inserted row is there already. After any error nothing is
    ///   stored.
    func execute(_ request: StoreBatchRequest) throws -> StoreChanges

    /// The store as it is now, for reading also when it has changed; nil when it has no such thing.
    func makeSnapshot() throws -> (any StoreSnapshot)?

    /// Where the store keeps bytes outside its rows.
    var assets: any AssetStorage { get }

    /// Whether bytes that its rows name may be elsewhere as a matter of course, on a server for instance. A property of
    /// `Data` then reads as having no value while its bytes are not here, and the store tells the states of its assets.
    /// Without that, bytes that are missing are lost, and reading them is an error; false unless a store says so.
    var hasAssetsElsewhere: Bool { get }

    /// Lets go of bytes that nothing names any more, and gives how many contents those were. Kept is what rows name,
    /// what the outbox names as a merge base, and what was named in a state of the store that somebody reads still
    /// (``makeSnapshot()``); no save that goes on meanwhile loses what it names. Where that cannot be told just now,
    /// nothing is let go of.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when names cannot be read or bytes cannot be removed.
    func collectAssets() throws -> Int

    /// The store that keeps history: itself, or one that it wraps; nil when none does.
    var journal: (any JournalingStore)? { get }

    /// Whether other processes write to it as a matter of course, so that a row which was read for one context may be
    /// an old one for the next. Contexts that begin later then read it anew; false unless a store says so.
    var isWrittenByOthers: Bool { get }

    /// How many requests it serves at the same time; more of them wait. A container has as many threads for `perform`,
    /// unless ``StoreOption/maximumConcurrency`` says otherwise; 8 unless a store says so.
    var concurrency: Int { get }

    /// Ends the store's work and lets go of its files. Later requests throw ``BackstitchError/Code/storeClosed``.
    func close() throws
}

extension PersistentStore {
    /// Only this process writes to it, or it tells of others' writes before they are read.
    public var isWrittenByOthers: Bool { false }

    /// All bytes that rows name are here.
    public var hasAssetsElsewhere: Bool { false }

    /// As many as connections are usual.
    public var concurrency: Int { 8 }

    /// Stores keep all bytes unless they say how to let go of some.
    public func collectAssets() throws -> Int { 0 }

    /// Stores have no snapshots unless they say how.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { nil }

    /// The store itself if it keeps a journal.
    public var journal: (any JournalingStore)? { self as? any JournalingStore }

    /// No options of its own.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        []
    }

    /// Stores are not removed unless they say how.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        throw BackstitchError(.invalidRequest, "stores of the type \(typeName) cannot be removed from here")
    }

    /// Stores do not migrate unless they say how.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        throw BackstitchError(.invalidRequest, "stores of the type \(typeName) do not migrate")
    }
}
