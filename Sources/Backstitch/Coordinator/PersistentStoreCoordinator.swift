import BackstitchSupport
import Foundation

/// The layer between contexts and the store. It hands requests down, shares rows, and tells contexts of changes made
/// elsewhere.
///
/// It may be used from any thread. Its calls block until the store is done.
public final class PersistentStoreCoordinator: Sendable {
    /// The model, checked when the coordinator was made.
    public let model: ResolvedModel
    /// The store; with several stores, a union of all of them.
    public var store: any PersistentStore { content.withLock { $0.front } }
    /// The stores, in the order of their descriptions.
    public var stores: [any PersistentStore] { content.withLock { $0.members.map(\.store) } }
    /// The generator of keys for new objects.
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
    ///   ``BackstitchError/Code/unknownStoreType``; errors of the store's initialiser.
    public convenience init(
        model: ManagedObjectModel, store description: PersistentStoreDescription, clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator()
    ) throws {
        try self.init(model: model, stores: [description], clock: clock, generator: generator)
    }

    /// Checks the model and the options, and opens several stores. The content of each store is described at
    /// ``PersistentStoreDescription/configuration``.
    ///
    /// - Throws: As ``init(model:store:clock:generator:)``. If one store cannot be opened, the stores opened before it
    ///   are closed.
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

    /// Returns rows with these keys, from the cache or the store, in any order.
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

    /// Returns the row with this key, from the cache or the store, if there is one.
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

    /// Returns the rows at the far end of a relationship. They are cached, so that loading their objects costs no
    /// statement.
    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        let reading = cache.reading
        let related = try store.related(by: property, of: entity, sources: sources)
        if !related.rows.entity.hasDerivedColumns { cache.insert(related.rows, readAt: reading) }
        return related
    }

    /// Writes a save to the store, and tells every other context.
    func save(_ request: SaveChangesRequest, changes: StoreChanges, from mailbox: ChangeMailbox) throws {
        do {
            // After an error, too, cached rows may be wrong. And contexts must find no old rows when they are told of
            // the save.
            defer { cache.invalidate(changes) }
            _ = try writing { try $0.save(request) }
        } catch let partial as PartialSave {
            listeners.tell(changes, except: mailbox)
            throw partial
        }
        listeners.tell(changes, except: mailbox)
    }

    /// Carries out a batch request in the store, and tells every other context.
    func execute(_ request: StoreBatchRequest, from mailbox: ChangeMailbox) throws -> StoreChanges {
        var changes: StoreChanges
        do { changes = try writing { try $0.execute(request) } } catch {
            // It is unknown then which changes were stored, if any.
            cache.removeAll()
            if let partial = error as? PartialBatch { listeners.tell(partial.changes, except: mailbox) }
            throw error
        }
        if changes.changedProperties == nil { changes.changedProperties = request.changedProperties }
        cache.invalidate(changes)
        listeners.tell(changes, except: mailbox)
        return changes
    }

    /// Forgets the rows that contexts share, so that tests see every read.
    package func forgetRows() { cache.removeAll() }

    /// Starts telling `mailbox` of changes. The mailbox is not held.
    func addListener(_ mailbox: ChangeMailbox) { listeners.add(mailbox) }

    /// Closes all stores of the coordinator.
    func close() throws { try store.close() }
}
