/// Which objects of a store came, changed and went, by a save or by the store itself (a sync).
public struct StoreChanges: Sendable, Hashable {
    /// Objects that are new.
    public var inserted: [ObjectID] = []
    /// Objects whose properties changed.
    public var updated: [ObjectID] = []
    /// Objects that are gone.
    public var deleted: [ObjectID] = []

    /// The names of the properties that changed, of any of the ``updated`` objects of an entity; nil when nobody can
    /// tell. The same holds for an entity that is not in it.
    package var changedProperties: [String: Set<String>]?

    /// No changes, or these.
    public init(inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Whether there are none.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Adds those of `later`, as if both were one. An object that came and went again is among the deleted: somebody
    /// may have met it in between.
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
        // One that came back may differ in any property from the one that went.
        let gone = Set(deleted)
        if !gone.isEmpty {
            for id in later.inserted + later.updated where gone.contains(id) { names[id.entityName] = nil }
        }
        return names
    }

    /// The entities of updated objects of which nobody can tell what changed.
    private var unnamedEntities: Set<String> {
        Set(updated.lazy.map(\.entityName).filter { changedProperties?[$0] == nil })
    }

    private enum Kind { case inserted, updated, deleted }

    /// Whether nothing of it is twice for different reasons.
    private var hasOneKind: Bool { [inserted, updated, deleted].filter { !$0.isEmpty }.count < 2 }

    /// Returns the identities in order, each once. The changes of one transaction mostly are so already.
    private static func sorted(_ ids: [ObjectID]) -> [ObjectID] {
        let rises = ids.indices.dropFirst().allSatisfy { ids[$0 - 1] < ids[$0] }
        return rises ? ids : Set(ids).sorted()
    }
}

extension StoreChanges {
    /// Whether both tell of the same objects.
    public static func == (left: StoreChanges, right: StoreChanges) -> Bool {
        left.inserted == right.inserted && left.updated == right.updated && left.deleted == right.deleted
    }

    /// By the objects.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(inserted)
        hasher.combine(updated)
        hasher.combine(deleted)
    }
}
