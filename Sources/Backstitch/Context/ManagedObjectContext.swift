import Foundation
import Logging

/// A workspace: objects, the changes made to them, and the way to fetch and save.
///
/// A context belongs to one thread or actor: `container.viewContext` to the main actor, the context that
/// ``PersistentContainer/perform(author:_:)`` gives to its closure. It has one instance for each object, holds changed
/// objects, and forgets unchanged ones when nobody else holds them.
public final class ManagedObjectContext {
    /// The coordinator at the bottom.
    public let coordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves into; nil when it works on the store.
    public let parent: ManagedObjectContext?
    /// The source that the context reads from and saves into: the coordinator or the parent.
    let source: any RowSource
    /// The author of the changes, for history.
    public var transactionAuthor: String?
    /// The context's name, for history.
    public var name: String?
    /// The policy by which a save settles a row that changed in the store since it was read.
    public var mergePolicy = MergePolicy.error
    /// The same for the objects of single entities, by the entity's name.
    public var entityMergePolicies: [String: MergePolicy] = [:]
    /// Whether what others save, and what a parent context changes, is taken in by itself before each read. Without it,
    /// it waits for ``mergeChangesFromParent()``.
    public var automaticallyMergesChangesFromParent = true

    /// Objects to insert, change and delete at the next save. They are held here.
    let inserted = ObjectList()
    let updated = ObjectList()
    var deleted = DeletedObjects()
    /// Of edited columns, by object, their values before others' changes were merged beneath the edits.
    var mergedBases: [ObjectKey: [Int: Value]] = [:]
    /// Unsaved differences of collections.
    var linkDeltas = LinkDeltas()
    /// The stores that new objects were given to; see ``assign(_:to:)``.
    var assignments: [ObjectKey: UUID] = [:]
    /// The last ranks of ordered relationships as far as known, so that appending needs no look at all members.
    var orderTails: [LinkEnd: Rank] = [:]

    /// Every object that lives, not held: objects hold the context, and take themselves out when they go.
    private let registered = ObjectTable()
    /// Keys of registered faults and of objects with loaded collections.
    private var faults: [Int: Set<ObjectKey>] = [:]
    private var withCollections: Set<ObjectKey> = []

    /// The state of the store that reads see; nil for the present. See ``setQueryGeneration(from:)``.
    var generation: Generation?
    /// Remembers changes so that they can be taken back; nil, as it is at first, to remember none.
    public var undoManager: ContextUndoManager?
    /// The objects that the last fetch loaded along relationships, held so that their collections stay loaded.
    var prefetched: [ManagedObject] = []

    /// The changes of which observers have not been told yet.
    var untold = ContextChanges(newcomers: Newcomers(turn: 1))
    /// Rises when observers are told, so that each object is noted once for each telling.
    var turn: UInt32 = 1
    /// Rises with everything that may make an object one to be saved.
    private(set) var changeCount = 0
    var observers: [ObjectIdentifier: WeakObserver] = [:]
    /// Whether changes are noted property by property: for results that depend on related objects.
    var tracksProperties = false
    let changeBroadcast = Broadcast<StoreChanges>()
    let saveBroadcast = Broadcast<StoreChanges>()
    /// Sees to it that ``processPendingChanges()`` is called soon; nil where the program calls it.
    var scheduleProcessing: (() -> Void)?

    /// Where changes by others wait; looked at before each read.
    let mailbox: ChangeMailbox
    private(set) var isClosed = false
    /// Takes what nobody is there to catch.
    let logger: Logger
    /// The error that a property could not throw, until a request throws it.
    var deferredError: DeferredError?
    /// Whether the last save threw: its changes are still there, and the program knows.
    var didSaveFail = false

    init(
        coordinator: PersistentStoreCoordinator, mailbox: ChangeMailbox = ChangeMailbox(),
        logger: Logger = ManagedObjectContext.usualLogger
    ) {
        self.coordinator = coordinator
        self.logger = logger
        self.mailbox = mailbox
        parent = nil
        source = coordinator.sourceOfContexts
    }

    /// A child of `parent`, for the same thread or actor: a scratch pad whose save puts its changes into the parent,
    /// which saves them in its turn; what is not saved is gone with it.
    ///
    /// ```swift
    /// let draft = ManagedObjectContext(parent: container.viewContext)
    /// let note = try draft.existingObject(with: id) as? Note
    /// … // edit; then either
    /// try draft.save()   // into the view context
    /// ```
    public init(parent: ManagedObjectContext) {
        coordinator = parent.coordinator
        logger = parent.logger
        mailbox = ChangeMailbox()
        self.parent = parent
        source = ParentSource(parent: parent)
        parent.observers[ObjectIdentifier(self)] = WeakObserver(value: self)
    }

    deinit { parent?.observers[ObjectIdentifier(self)] = nil }

    /// A context on `coordinator`, for the caller's thread or actor.
    public convenience init(coordinator: PersistentStoreCoordinator) {
        let mailbox = ChangeMailbox()
        self.init(coordinator: coordinator, mailbox: mailbox)
        coordinator.addListener(mailbox)
    }

    /// The model.
    public var model: ResolvedModel { coordinator.model }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

// Registration: one instance for each object.
extension ManagedObjectContext {
    func register(_ object: ManagedObject) {
        registered.insert(object)
        if !linkDeltas.isEmpty { listChangedLinks(of: object) }
        if object.isFault { faults[object.entity.index, default: []].insert(object.key) }
    }

    func unregister(_ object: ManagedObject) {
        guard registered.remove(object) else { return }
        if object.mayHaveCollections { withCollections.remove(object.key) }
        if !object.isLoaded { faults[object.entity.index]?.remove(object.key) }
    }

    func registeredObject(_ key: ObjectKey) -> ManagedObject? {
        registered[key]
    }

    /// The instance for a row, made if there is none. An instance that is loaded keeps its values.
    func object(for snapshot: RowSnapshot) -> ManagedObject {
        let key = snapshot.batch.keys[snapshot.row]
        if let object = registered[key] {
            if object.isFault { fill(object, with: snapshot) }
            return object
        }
        return makeObject(
            ObjectInitializer(
                entity: entity(of: snapshot), key: key, context: self, snapshot: snapshot, state: .persistent))
    }

    /// The instances for the rows of a batch, in their order.
    func objects(for batch: RowBatch) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(batch.count)
        registered.reserve(batch.count)
        var seed: ObjectInitializer?
        let isMixed = batch.entity.family != nil
        for (row, key) in batch.keys.enumerated() {
            if let object = registered[key] {
                if object.isFault { fill(object, with: RowSnapshot(batch: batch, row: row)) }
                objects.append(object)
            } else if let seed, !isMixed {
                seed.move(to: row, key)
                objects.append(makeObject(seed))
            } else {
                let snapshot = RowSnapshot(batch: batch, row: row)
                let next = ObjectInitializer(
                    entity: entity(of: snapshot), key: key, context: self, snapshot: snapshot, state: .persistent)
                objects.append(makeObject(next))
                seed = next
            }
        }
        return objects
    }

    /// The object of a row, which the context does not have yet.
    @inline(__always)
    private func makeObject(_ seed: ObjectInitializer) -> ManagedObject {
        let object = seed.entity.managedObjectClass.init(seed)
        registered.insertNew(object)
        if !linkDeltas.isEmpty { listChangedLinks(of: object) }
        object.awakeFromFetch()
        return object
    }

    /// The entity of a row's object: the batch's, or one below it.
    private func entity(of snapshot: RowSnapshot) -> ResolvedEntity {
        guard snapshot.batch.entity.family != nil else { return snapshot.batch.entity }
        return model.entity(named: snapshot.batch.entityName(at: snapshot.row)) ?? snapshot.batch.entity
    }

    func fill(_ object: ManagedObject, with snapshot: RowSnapshot) {
        object.snapshot = snapshot
        faults[object.entity.index]?.remove(object.key)
        // Others may have written what was changed here.
        for slot in object.edits?.changed.slots ?? []
        where object.edits?[slot] == snapshot.batch.value(snapshot.row, slot) {
            object.edits?.drop(slot)
        }
        object.awakeFromFetch()
    }

    /// Forgets an object's values, to be read again when needed. Unsaved changes stay.
    func turnIntoFault(_ object: ManagedObject) {
        guard !object.isNew, object.state != .vanished else { return }
        let wasLoaded = object.snapshot != nil
        object.snapshot = nil
        object.collections = [:]
        withCollections.remove(object.key)
        faults[object.entity.index, default: []].insert(object.key)
        if wasLoaded { object.didTurnIntoFault() }
    }

    /// Marks an object as gone, with nothing unsaved.
    func vanish(_ object: ManagedObject) {
        inserted.remove(object)
        updated.remove(object)
        deleted.remove(object.key)
        linkDeltas.forget(object.key)
        mergedBases[object.key] = nil
        unregister(object)
        object.state = .vanished
        object.snapshot = nil
        object.edits = nil
        object.transients = nil
        object.collections = [:]
    }

    /// Registered faults of an entity, `first` among them, to be loaded together.
    func faults(of entity: ResolvedEntity, with first: ObjectKey, limit: Int) -> [ObjectKey] {
        var keys = [first]
        for key in faults[entity.index] ?? [] where key != first {
            guard keys.count < limit else { break }
            keys.append(key)
        }
        return keys
    }

    func isKnownFault(_ object: ManagedObject) -> Bool { faults[object.entity.index]?.contains(object.key) ?? false }

    func isKnownToHaveCollections(_ object: ManagedObject) -> Bool { withCollections.contains(object.key) }

    /// Forgets what collections hold; they are read again when they are used.
    func forgetCollections() {
        for object in objectsWithCollections { object.collections = [:] }
        withCollections = []
    }

    func noteLoadedCollection(of object: ManagedObject) {
        object.mayHaveCollections = true
        withCollections.insert(object.key)
    }

    var objectsWithCollections: [ManagedObject] { withCollections.compactMap(registeredObject) }

    /// Notes that an object has changes, of the property in that slot. Called for each property that is set, so what
    /// was noted already costs a comparison.
    func noteChange(of object: ManagedObject, at slot: Int) {
        changeCount &+= 1
        if tracksProperties { untold.touched.own.insert(slot, of: object.entity.linkIndex) }
        if object.toldTurn != turn {
            object.toldTurn = turn
            tell { if !$0.newcomers.contains(object) { $0.updated.insert(object) } }
        }
        guard object.state == .persistent, !object.isNew, !updated.contains(object) else { return }
        listAsUpdated(object)
    }

    /// The new object with that key.
    func insertedObject(_ key: ObjectKey) -> ManagedObject? {
        registeredObject(key).flatMap { inserted.contains($0) ? $0 : nil }
    }

    /// Puts an object among those with changes.
    func listAsUpdated(_ object: ManagedObject) {
        updated.insert(object)
        changeCount &+= 1
    }

    /// Puts an object among those with changes when links of it were changed from their other ends while it was not
    /// here, or deleted.
    func listChangedLinks(of object: ManagedObject) {
        if object.state == .persistent, linkDeltas.hasChanges(of: object) { listAsUpdated(object) }
    }

    /// Notes what observers are to be told.
    func tell(_ change: (inout ContextChanges) -> Void) {
        changeCount &+= 1
        if untold.isEmpty { scheduleProcessing?() }
        change(&untold)
    }
}

// The end of its work.
extension ManagedObjectContext {
    /// Ends the context: its objects stay readable as far as they are loaded.
    func close() {
        tellUnseenError()
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        linkDeltas.removeAll()
        prefetched = []
        untold = ContextChanges(newcomers: Newcomers(turn: turn))
        isClosed = true
        registered.removeAll()
        observers = [:]
        changeBroadcast.finish()
        saveBroadcast.finish()
    }

    /// How many objects are in memory.
    package var registeredObjectCount: Int { registered.count }

    var registeredObjects: [ManagedObject] { registered.all }
}
