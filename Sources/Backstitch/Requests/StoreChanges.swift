/// The objects of a store inserted, updated and deleted by a save, or by the store itself in a sync.
public struct StoreChanges: Sendable, Hashable {
    /// The identities of new objects.
    public var inserted: [ObjectID] = []
    /// The identities of objects with changed properties.
    public var updated: [ObjectID] = []
    /// The identities of deleted objects.
    public var deleted: [ObjectID] = []

    /// The names of the changed properties of the ``updated`` objects, by entity; nil if they are unknown. If an entity
    /// is missing here, the properties of its objects are unknown.
    package var changedProperties: [String: Set<String>]?

    /// Makes changes from identities; no changes by default.
    public init(inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Adds the changes of `later`, as if both were one. An object that was inserted and then deleted is among the
    /// deleted: other code may have seen it in between.
    public mutating func merge(_ later: StoreChanges) {
        changedProperties = propertiesChanged(with: later)
        if isEmpty, later.hasOneKind {
            inserted = Self.sorted(later.inserted)
            updated = Self.sorted(later.updated)
            deleted = Self.sorted(later.deleted)
            return
        }
        var kinds: [ObjectID: Kind] = [:]
        for id in inserted { kinds[id] = .inserted }
        for id in updated { kinds[id] = .updated }
        for id in deleted { kinds[id] = .deleted }
        for id in later.inserted { kinds[id] = kinds[id] == .deleted ? .updated : .inserted }
        for id in later.updated where kinds[id] != .inserted { kinds[id] = .updated }
        for id in later.deleted { kinds[id] = .deleted }
        let sorted = kinds.sorted { $0.key < $1.key }
        inserted = sorted.filter { $0.value == .inserted }.map(\.key)
        updated = sorted.filter { $0.value == .updated }.map(\.key)
        deleted = sorted.filter { $0.value == .deleted }.map(\.key)
    }

    private func propertiesChanged(with later: StoreChanges) -> [String: Set<String>]? {
        if isEmpty { return later.changedProperties }
        if later.isEmpty { return changedProperties }
        guard let changedProperties, let others = later.changedProperties else { return nil }
        var names = changedProperties.merging(others) { $0.union($1) }
        for entity in unnamedEntities.union(later.unnamedEntities) { names[entity] = nil }
        // A deleted and inserted object may differ in any property from its earlier self.
        let gone = Set(deleted)
        if !gone.isEmpty {
            for id in later.inserted + later.updated where gone.contains(id) { names[id.entityName] = nil }
        }
        return names
    }

    /// The entities of updated objects with unknown changed properties.
    private var unnamedEntities: Set<String> {
        Set(updated.lazy.map(\.entityName).filter { changedProperties?[$0] == nil })
    }

    private enum Kind { case inserted, updated, deleted }

    /// Whether the changes are of one kind only, so no object is listed under two kinds.
    private var hasOneKind: Bool { [inserted, updated, deleted].filter { !$0.isEmpty }.count < 2 }

    /// Sorts the identities, each once. The changes of one transaction are mostly sorted already.
    private static func sorted(_ ids: [ObjectID]) -> [ObjectID] {
        let rises = ids.indices.dropFirst().allSatisfy { ids[$0 - 1] < ids[$0] }
        return rises ? ids : Set(ids).sorted()
    }
}

extension StoreChanges {
    /// Whether both list the same objects.
    public static func == (left: StoreChanges, right: StoreChanges) -> Bool {
        left.inserted == right.inserted && left.updated == right.updated && left.deleted == right.deleted
    }

    /// Hashes the identities of all objects.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(inserted)
        hasher.combine(updated)
        hasher.combine(deleted)
    }
}
