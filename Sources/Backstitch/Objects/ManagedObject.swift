/// An object of the graph: a light view of a row, with the changes that are not saved yet.
///
/// Read and change it by key, or give the entity a subclass with typed properties:
/// ```swift
/// final class Note: ManagedObject {
///     var title: String { get { self["title"] } set { self["title"] = newValue } }
///     var created: Date? { get { self["created"] } set { self["created"] = newValue } }
///     var folder: Folder? { get { self["folder"] } set { self["folder"] = newValue } }
///     var tags: Set<Tag> { get { self["tags"] } set { self["tags"] = newValue } }
/// }
/// ```
/// An object belongs to its context and to the thread or actor that owns the context; it is not `Sendable`. Only its
/// ``objectID`` may cross.
///
/// Touching an object never traps. A deleted or vanished object reads as empty. An error that a property cannot throw
/// (a key that the entity does not have, a value that does not fit, a store that fails while a fault fires) is kept by
/// the context and thrown by its next `fetch`, `count` or `save`; by a save only when something was to be set, or it
/// writes the object that was read. ``value(forKey:)`` and ``setValue(_:forKey:)`` throw it at once.
nonisolated open class ManagedObject {
    /// The object's entity.
    public final let entity: ResolvedEntity
    /// The object's key, the rest of its identity.
    public final let key: ObjectKey

    /// The context, kept alive by its objects; it knows its objects without holding the unchanged ones.
    final let context: ManagedObjectContext
    /// The cells of the row that was last read or saved, in the memory of ``batch``, where reading a property finds
    /// them by one step.
    private final var cells: UnsafeMutablePointer<UInt64>?
    /// The values that differ from the snapshot; nil while none do.
    final var edits: ObjectEdits?
    private final var batch: RowBatch?
    /// The values of transient attributes; nil until one is set.
    final var transients: TransientValues?
    /// The members of to-many relationships that are loaded, by slot.
    final var collections: [Int: Members] = [:]
    /// The objects that its to-one relationships led to when they were last read; see ``holdTarget(_:of:)``.
    final var heldTargets: [HeldTarget] = []
    // The small ones lie together, so that an object takes as little memory as it can.
    private final var row: UInt32 = 0
    /// Where the object is in its life.
    final var state: State
    /// Whether no save has written it yet.
    final var isNew: Bool
    /// Its place in the context's list of new or of changed objects, if it is in one.
    final var listPlace = UInt32.max
    /// Its place in the context's list of all objects; see ``ObjectTable``.
    final var tableNumber = UInt32.max
    /// Whether the context may have it among the objects with loaded collections.
    final var mayHaveCollections = false
    /// Whether it has orders that its columns do not show yet; see ``writeOrders()``.
    final var hasUnwrittenOrders = false
    /// The context's turn in which observers are going to be told of its changes; see
    /// ``ChangeNotifier/noteChange(of:at:)``.
    final var toldTurn: UInt32 = 0
    /// The context's turn in which observers are going to be told of it as a new object; 0 for none. See
    /// ``ContextChanges``.
    final var newcomerTurn: UInt32 = 0

    /// Makes the object of a row; the context calls it.
    public required init(_ seed: ObjectInitializer) {
        entity = seed.entity
        key = seed.key
        context = seed.context
        if let batch = seed.batch {
            cells = batch.row(seed.row).start
            self.batch = batch
            row = UInt32(truncatingIfNeeded: seed.row)
        }
        state = seed.state
        isNew = seed.state == .inserted
        if isNew { edits = ObjectEdits.defaults(of: seed.entity) }
    }

    /// Makes a new object in `context`, of the entity whose class this is.
    ///
    /// Where the model has no entity of this class, the object belongs to no entity's table: the context's next save
    /// throws.
    public convenience init(context: ManagedObjectContext) {
        self.init(context.seedForInsert(of: Self.self))
        context.adopt(self)
    }

    deinit { context.identityMap.unregister(self) }

    /// Called once, when the object was inserted by this program: a place for initial values that are no constants. A
    /// ``BatchInsertRequest`` makes no objects, and does not call it: give it these values.
    open func awakeFromInsert() {}

    /// Called each time the object's values were read from the store: a place to set transient attributes, of which the
    /// context takes no note: the object has no change by that. To set other attributes, and those of other objects, is
    /// an unsaved change.
    open func awakeFromFetch() {}

    /// Called after the object's values were let go of, to be read again when they are next used: a place to drop what
    /// was computed of them. Transient attributes are set as in ``awakeFromFetch()``.
    open func didTurnIntoFault() {}

    /// Called before the object is marked for deletion, by the program or by a cascade rule: its relationships are
    /// still there. Objects that it deletes go as well.
    open func prepareForDeletion() {}

    /// Called before each save that would write or delete the object, once for each save; it may still change values,
    /// and insert and delete objects.
    open func willSave() {}

    /// Called after each save that wrote or deleted the object, before notifications are posted. A deleted object reads
    /// as empty.
    open func didSave() {}

    /// A place for rules that the model cannot state; called for inserted and updated objects at save.
    ///
    /// - Throws: The rule that is broken; reported together with the faults of other objects.
    open func validate() throws {}

    /// Judges a new object by the rules of the model and by ``validate()``. An override calls `super`.
    ///
    /// A save calls it for the object's own rules: it asks for those of the model itself, so that no override can leave
    /// them out and none is asked for twice.
    ///
    /// - Throws: ``BackstitchError/Code/validation``, with every fault where there are several; what ``validate()``
    ///   throws.
    open func validateForInsert() throws { try context.validate(self) }

    /// Judges a changed object, as ``validateForInsert()`` does a new one. An override calls `super`.
    open func validateForUpdate() throws { try context.validate(self) }

    /// Judges whether the object may be deleted: what it throws keeps the save from happening. An override calls
    /// `super`.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` where a deny rule keeps the object, or one that would go with
    ///   it. In a save delete rules have been carried out before.
    /// - Complexity: O(objects that delete rules reach), which are read.
    open func validateForDelete() throws { try context.validateDeletion(of: self) }

    enum State {
        /// In the store, as far as known.
        case persistent
        /// Not in the store yet.
        case inserted
        /// To be deleted by the next save.
        case deleted
        /// Not in the store any more, or never: deleted and saved, rolled back, or removed by someone else.
        case vanished
    }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

extension ManagedObject {
    /// The row as it was last read or saved; nil for a fault and for an object that was never saved.
    final var snapshot: RowSnapshot? {
        get { batch.map { RowSnapshot(batch: $0, row: Int(row)) } }
        set {
            cells = newValue.map { $0.batch.row($0.row).start }
            batch = newValue?.batch
            row = UInt32(truncatingIfNeeded: newValue?.row ?? 0)
        }
    }

    /// Whether it has a ``snapshot``.
    @inline(__always)
    final var isLoaded: Bool { cells != nil }

    /// The cells of ``snapshot``. Good as long as the snapshot is not replaced.
    @inline(__always)
    final var storedCells: RowCells? { cells.map { RowCells(start: $0, nullWords: entity.nullWords) } }

    /// The batch of ``snapshot``, not counted. Good as long as the snapshot is not replaced.
    @inline(__always)
    final var storedBatch: Unmanaged<RowBatch>? { batch.map(Unmanaged.passUnretained) }
}

extension ManagedObject {
    /// The object's identity: permanent, and free to cross threads.
    public final var objectID: ObjectID { ObjectID(entityName: entity.name, key: key) }

    /// The context; nil once its work has ended, and for an object that is gone: deleted and saved, or never saved and
    /// taken back.
    public final var managedObjectContext: ManagedObjectContext? {
        context.isClosed || state == .vanished ? nil : context
    }

    /// Whether the object was never saved.
    public final var isInserted: Bool { state == .inserted }

    /// Whether the object differs from its saved state.
    public final var isUpdated: Bool { state == .persistent && hasChanges }

    /// Whether the object will be deleted by the next save. One that is gone has no ``managedObjectContext``.
    public final var isDeleted: Bool { state == .deleted }

    /// Whether the object will be deleted by the next save, or is gone already.
    final var isGone: Bool { state == .deleted || state == .vanished }

    /// Whether the object's values are not loaded yet.
    public final var isFault: Bool { cells == nil && state == .persistent }

    /// Whether it has changes that are not saved; setting a property to an equal value is none.
    public final var hasChanges: Bool {
        switch state {
        case .inserted, .deleted: true
        case .vanished: false
        case .persistent: hasPersistentChangedValues || transients?.isChanged ?? false
        }
    }

    /// Whether a save would write the object, or links that lead to it or from it: transient attributes do not count.
    public final var hasPersistentChangedValues: Bool {
        switch state {
        case .inserted, .deleted: true
        case .vanished: false
        case .persistent: hasChangedColumns || context.unsaved.links.hasChanges(of: self)
        }
    }
}

extension ManagedObject {
    /// Whether a save would write the row of an object that was saved before.
    final var hasChangedColumns: Bool { edits.map { !$0.isEmpty } ?? false }
}

extension ManagedObject: Hashable {
    /// Identity: a context has one instance for each object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    /// By key.
    public final func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ManagedObject: CustomStringConvertible {
    /// Identity, state and loaded values; fires no fault.
    public var description: String {
        if isFault { return "<\(objectID) fault>" }
        let values = entity.ownColumns.map {
            "\($0.name): \(currentValue(ofColumn: $0.slot).summary)"
        }
        return "<\(objectID) \(state) {\(values.joined(separator: ", "))}>"
    }
}
