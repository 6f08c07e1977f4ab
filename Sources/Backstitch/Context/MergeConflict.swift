/// An object that others changed in the store after it was read, as four sides see it.
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
    /// The object.
    public let objectID: ObjectID
    /// The version at which it was read; 0 for an object that is new here.
    public let readVersion: Int64
    /// The version that is stored now; nil when it was deleted.
    public let storedVersion: Int64?
    /// The values that the save was to write, by key.
    public let own: [String: Value]
    /// The values as they were read; empty for an object that is new here.
    public internal(set) var base: [String: Value]
    /// The values that the coordinator shares between contexts; nil when it has none at the moment.
    public let cached: [String: Value]?
    /// The values that are stored now; nil when the object was deleted.
    public let stored: [String: Value]?

    /// Keys whose values the context changed.
    public var changedHere: Set<String> { Self.difference(base, own) }

    /// Keys whose values others changed; empty when they deleted the object.
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
    /// The values of the columns by key, given the entity of the row's object: the batch may be one of an entity
    /// above it.
    fileprivate func values(of entity: ResolvedEntity) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: entity.ownColumns.map { ($0.name, batch.value(row, $0.slot)) })
    }
}
