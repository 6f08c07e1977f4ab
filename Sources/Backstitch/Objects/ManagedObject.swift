/// An object of the graph: a light view of a row, with its unsaved changes.
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
/// An object belongs to its context, and to the thread or actor of the context. It is not `Sendable`. Only its
/// ``objectID`` may cross threads.
///
/// Touching an object never traps. An object that is gone reads as empty. Properties cannot throw, so the context keeps
/// their errors: an unknown key, an unsuitable value, a store that fails while a fault fires. Its next `fetch`, `count`
/// or `save` throws the error. A save throws it only if a property was set, or if the save writes the object that was
/// read. ``value(forKey:)`` and ``setValue(_:forKey:)`` throw it at once.
nonisolated open class ManagedObject {
    /// The entity that the object belongs to.
    public final let entity: ResolvedEntity
    /// The object's key. Together with the entity it is the object's identity.
    public final let key: ObjectKey

    /// The context, kept alive by its objects. It knows its objects without holding the unchanged ones.
    final let context: ManagedObjectContext
    /// The cells of the row that was last read or saved. They are in the memory of ``batch``, so reading a property
    /// finds them in one step.
    private final var cells: UnsafeMutablePointer<UInt64>?
    /// The values that differ from the snapshot; nil if there are none.
    final var edits: ObjectEdits?
    private final var batch: RowBatch?
    /// The values of transient attributes; nil until one is set.
    final var transients: TransientValues?
    /// The members of loaded to-many relationships, by slot.
    final var collections: [Int: Members] = [:]
    /// The objects that its to-one relationships led to at their last read; see ``holdTarget(_:of:)``.
    final var heldTargets: [HeldTarget] = []
    // The small values are next to each other, so that an object takes as little memory as possible.
    private final var row: UInt32 = 0
    /// The phase of the object's life.
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
    /// The context's turn that last noted a change of the object; see ``ChangeNotifier/noteChange(of:at:)``.
    final var toldTurn: UInt32 = 0
    /// The context's turn that noted it as a new object; 0 for none. See ``ContextChanges``.
    final var newcomerTurn: UInt32 = 0

    /// Makes the object of a row. Only the context calls it.
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

    /// Makes a new object in `context`. Its entity is the entity of this class.
    ///
    /// If the model has no entity of this class, the object belongs to no entity's table, and the context's next save
    /// throws.
    public convenience init(context: ManagedObjectContext) {
        self.init(context.seedForInsert(of: Self.self))
        context.adopt(self)
    }

    deinit { context.identityMap.unregister(self) }

    /// Called once, after this program inserted the object. It is a place for initial values that are no constants. A
    /// ``BatchInsertRequest`` makes no objects and does not call it: give the request these values.
    open func awakeFromInsert() {}

    /// Called each time after the object's values were read from the store. It is a place to set transient attributes:
    /// the context does not count them as changes. Setting other attributes, or attributes of other objects, is an
    /// unsaved change.
    open func awakeFromFetch() {}

    /// Called after the object's values were released, to be read again at their next use. It is a place to drop data
    /// computed from them. Transient attributes are set as in ``awakeFromFetch()``.
    open func didTurnIntoFault() {}

    /// Called before the object is marked for deletion, by the program or by a cascade rule. Its relationships still
    /// exist. Objects that it deletes are deleted as well.
    open func prepareForDeletion() {}

    /// Called before each save that would write or delete the object, once for each save. It may still change values,
    /// and insert and delete objects.
    open func willSave() {}

    /// Called after each save that wrote or deleted the object, before notifications are posted. A deleted object reads
    /// as empty.
    open func didSave() {}

    /// Checks rules that the model cannot state. It is called for inserted and updated objects at each save.
    ///
    /// - Throws: The broken rule; it is reported together with the faults of other objects.
    open func validate() throws {}

    /// Validates a new object by the rules of the model and by ``validate()``. An override calls `super`.
    ///
    /// A save calls it for the object's own rules only. The save checks the rules of the model itself, so no override
    /// can leave them out and none is checked twice.
    ///
    /// - Throws: ``BackstitchError/Code/validation``, with every fault if there are several; errors of ``validate()``.
    open func validateForInsert() throws { try context.validate(self) }

    /// Validates a changed object, as ``validateForInsert()`` does a new one. An override calls `super`.
    open func validateForUpdate() throws { try context.validate(self) }

    /// Checks whether the object may be deleted. An error keeps the save from happening. An override calls `super`.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` if a deny rule keeps the object, or an object that would be
    ///   deleted with it. In a save, delete rules have been carried out before.
    /// - Complexity: O(objects reached by delete rules); these are read.
    open func validateForDelete() throws { try context.validateDeletion(of: self) }

    enum State {
        /// In the store, as far as known.
        case persistent
        /// Not in the store yet.
        case inserted
        /// To be deleted by the next save.
        case deleted
        /// No longer in the store, or never in it: deleted and saved, rolled back, or removed elsewhere.
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

    /// The cells of ``snapshot``. They are valid until the snapshot is replaced.
    @inline(__always)
    final var storedCells: RowCells? { cells.map { RowCells(start: $0, nullWords: entity.nullWords) } }

    /// The batch of ``snapshot``, without reference counting. It is valid until the snapshot is replaced.
    @inline(__always)
    final var storedBatch: Unmanaged<RowBatch>? { batch.map(Unmanaged.passUnretained) }
}

extension ManagedObject {
    /// The object's identity: permanent, and free to cross threads.
    public final var objectID: ObjectID { ObjectID(entityName: entity.name, key: key) }

    /// The context; nil once its work has ended, and for an object that is gone. An object is gone when its deletion
    /// was saved, or when it was never saved and was taken back.
    public final var managedObjectContext: ManagedObjectContext? {
        context.isClosed || state == .vanished ? nil : context
    }

    /// Whether the object was never saved.
    public final var isInserted: Bool { state == .inserted }

    /// Whether the object differs from its saved state.
    public final var isUpdated: Bool { state == .persistent && hasChanges }

    /// Whether the next save will delete the object. An object that is gone has no ``managedObjectContext``.
    public final var isDeleted: Bool { state == .deleted }

    /// Whether the next save will delete the object, or it is gone already.
    final var isGone: Bool { state == .deleted || state == .vanished }

    /// Whether the object's values are not loaded yet.
    public final var isFault: Bool { cells == nil && state == .persistent }

    /// Whether the object has unsaved changes. Setting a property to an equal value is no change.
    public final var hasChanges: Bool {
        switch state {
        case .inserted, .deleted: true
        case .vanished: false
        case .persistent: hasPersistentChangedValues || transients?.isChanged ?? false
        }
    }

    /// Whether a save would write the object, or links from or to it. Transient attributes do not count.
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
    /// Compares instances: a context has one instance for each object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    /// Hashes the object's key, and nothing else.
    public final func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ManagedObject: CustomStringConvertible {
    /// The identity, the state and the loaded values. It fires no fault.
    public var description: String {
        if isFault { return "<\(objectID) fault>" }
        let values = entity.ownColumns.map {
            "\($0.name): \(currentValue(ofColumn: $0.slot).summary)"
        }
        return "<\(objectID) \(state) {\(values.joined(separator: ", "))}>"
    }
}
