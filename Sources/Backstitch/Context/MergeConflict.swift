/// An object that was changed in the store after it was read, with its values on four sides.
///
/// ```swift
/// do { try context.save() } catch let error as BackstitchError where error.code == .saveConflict {
///     for fault in [error] + error.faults {
///         guard let conflict = fault.mergeConflict else { continue }
///         print(conflict.objectID, conflict.changedHere, conflict.changedInStore)
///     }
/// }
/// ```
public struct MergeConflict: Sendable, Hashable {
    /// The identity of the object in conflict.
    public let objectID: ObjectID
    /// The version of the context; 0 for a new object.
    public let readVersion: Int64
    /// The version in the store now; nil when the object was deleted.
    public let storedVersion: Int64?
    /// The values that the save was to write, by key.
    public let own: [String: Value]
    /// The values as they were read; empty for an object that is new here.
    public internal(set) var base: [String: Value]
    /// The values that the coordinator shares between contexts; nil when it has none at the moment.
    public let cached: [String: Value]?
    /// The values in the store now; nil when the object was deleted.
    public let stored: [String: Value]?

    /// Keys of the values that the context changed.
    public var changedHere: Set<String> { Self.difference(base, own) }

    /// Keys of the values that changed in the store; empty when the object was deleted there.
    public var changedInStore: Set<String> { stored.map { Self.difference(base, $0) } ?? [] }

    private static func difference(_ old: [String: Value], _ new: [String: Value]) -> Set<String> {
        Set(new.keys.filter { old[$0] != new[$0] })
    }
}

extension MergeConflict {
    init(_ object: ManagedObject, cached: RowSnapshot?, stored: RowSnapshot?) {
        objectID = object.objectID
        readVersion = object.snapshot?.version ?? 0
        storedVersion = stored?.version
        own = Dictionary(
            uniqueKeysWithValues: object.entity.ownColumns.map { ($0.name, object.currentValue(ofColumn: $0.slot)) })
        base = object.snapshot?.values(of: object.entity) ?? [:]
        self.cached = cached?.values(of: object.entity)
        self.stored = stored?.values(of: object.entity)
    }
}

extension RowSnapshot {
    /// Returns the values of the columns by key. `entity` is the entity of the row's object, because the batch may be
    /// of a parent entity.
    fileprivate func values(of entity: ResolvedEntity) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: entity.ownColumns.map { ($0.name, batch.value(row, $0.slot)) })
    }
}
