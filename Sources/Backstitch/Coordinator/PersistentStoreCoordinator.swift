import BackstitchSupport
import Foundation

/// Stands between contexts and the store: carries requests down, shares rows, and tells contexts what others changed.
///
/// It may be used from any thread. Its calls block until the store is done.
public final class PersistentStoreCoordinator: Sendable {
    /// The model, checked.
    public let model: ResolvedModel
    /// The store; with several, one that stands for all of them.
    public var store: any PersistentStore { content.withLock { $0.front } }
    /// The stores, in the order of their descriptions.
    public var stores: [any PersistentStore] { content.withLock { $0.members.map(\.store) } }
    /// Where new keys come from.
    public let generator: ObjectIDGenerator

    let clock: any WallClock
    let remoteChangeBroadcast: Broadcast<StoreChanges>
    let cache: RowCache
    let results = ResultCache()
    private let listeners: ChangeListeners
    let content: Locked<CoordinatorContent>
    let opener: StoreOpener
    let assetCollector = AssetCollector()

    /// Checks the model and the options, and opens the store.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel``, ``BackstitchError/Code/invalidOption``,
    ///   ``BackstitchError/Code/unknownStoreType``, and what the store's initialiser throws.
    public convenience init(
        model: ManagedObjectModel, store description: PersistentStoreDescription, clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator()
    ) throws {
        try self.init(model: model, stores: [description], clock: clock, generator: generator)
    }

    /// Checks the model and the options, and opens several stores; see ``PersistentStoreDescription/configuration`` for
    /// what each of them holds.
    ///
    /// - Throws: As ``init(model:store:clock:generator:)``; when one store cannot be opened, those opened before it are
    ///   closed.
    public init(
        model: ManagedObjectModel, stores descriptions: [PersistentStoreDescription],
        clock: any WallClock = SystemClock(), generator: ObjectIDGenerator = ObjectIDGenerator()
    ) throws {
        let model = try ResolvedModel(model)
        let cache = RowCache()
        let listeners = ChangeListeners()
        let remoteChanges = Broadcast<StoreChanges>()
        opener = StoreOpener(model: model, clock: clock, generator: generator) { changes in
            cache.invalidate(changes)
            listeners.tell(changes, except: nil)
            remoteChanges.yield(changes)
        }
        content = Locked(try CoordinatorContent(opener.open(descriptions), model: model))
        self.model = model
        self.generator = generator
        self.clock = clock
        remoteChangeBroadcast = remoteChanges
        self.cache = cache
        self.listeners = listeners
        collectAssetsLater()
    }

    /// Rows with these keys, from the cache or the store, in any order.
    ///
    /// - Parameter moment: See ``RowCache/rows(of:for:since:)``.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey], since moment: Int) throws -> [RowSnapshot] {
        if entity.hasDerivedColumns {
            let batch = try store.rows(of: entity, keys: keys)
            return (0..<batch.count).map { RowSnapshot(batch: batch, row: $0) }
        }
        let (found, missing) = cache.rows(of: entity, for: keys, since: moment)
        guard !missing.isEmpty else { return found }
        let reading = cache.reading
        let batch = try store.rows(of: entity, keys: missing)
        cache.insert(batch, readAt: reading)
        return found + (0..<batch.count).map { RowSnapshot(batch: batch, row: $0) }
    }

    /// The row with this key, from the cache or the store, if there is one.
    ///
    /// - Parameter moment: See ``RowCache/rows(of:for:since:)``.
    func row(of entity: ResolvedEntity, key: ObjectKey, since moment: Int) throws -> RowSnapshot? {
        guard !entity.hasDerivedColumns else { return Self.only(try store.rows(of: entity, keys: [key])) }
        let (known, reading) = cache.row(of: entity, for: key, since: moment)
        if let known { return known }
        let row = Self.only(try store.rows(of: entity, keys: [key]))
        if let row { cache.insert(row, key: key, readAt: reading) }
        return row
    }

    private static func only(_ batch: RowBatch) -> RowSnapshot? {
        batch.count == 0 ? nil : RowSnapshot(batch: batch, row: 0)
    }

    /// The rows at the far end of a relationship; they are cached, so that asking for their objects costs no statement.
    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        let reading = cache.reading
        let related = try store.related(by: property, of: entity, sources: sources)
        if !related.rows.entity.hasDerivedColumns { cache.insert(related.rows, readAt: reading) }
        return related
    }

    /// Has the store write a save, and tells every other context.
    func save(_ request: SaveChangesRequest, changes: StoreChanges, from mailbox: ChangeMailbox) throws {
        do {
            // Also after an error nobody may rely on what is cached; and whoever is told must find no old rows.
            defer { cache.invalidate(changes) }
            _ = try writing { try $0.save(request) }
        } catch let partial as PartialSave {
            listeners.tell(changes, except: mailbox)
            throw partial
        }
        listeners.tell(changes, except: mailbox)
    }

    /// Has the store carry a batch request out, and tells every other context.
    func execute(_ request: StoreBatchRequest, from mailbox: ChangeMailbox) throws -> StoreChanges {
        var changes: StoreChanges
        do { changes = try writing { try $0.execute(request) } } catch {
            // It is not known then which changes were stored, if any.
            cache.removeAll()
            if let partial = error as? PartialBatch { listeners.tell(partial.changes, except: mailbox) }
            throw error
        }
        if changes.changedProperties == nil { changes.changedProperties = request.changedProperties }
        cache.invalidate(changes)
        listeners.tell(changes, except: mailbox)
        return changes
    }

    /// Forgets the rows that contexts share, so that tests see what is read.
    package func forgetRows() { cache.removeAll() }

    /// Has `mailbox` told of changes from now on, as long as it lives.
    func addListener(_ mailbox: ChangeMailbox) { listeners.add(mailbox) }

    /// Closes the stores.
    func close() throws { try store.close() }
}
