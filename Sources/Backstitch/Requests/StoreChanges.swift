/// Which objects of a store came, changed and went, by a save or by the store itself (a sync).
public struct StoreChanges: Sendable, Hashable {
    /// Objects that are new.
    public var inserted: [ObjectID] = []
    /// Objects whose properties changed.
    public var updated: [ObjectID] = []
    /// Objects that are gone.
    public var deleted: [ObjectID] = []

    /// No changes, or these.
    public init(inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Whether there are none.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Adds those of `later`, as if both were one: what came and went again is left out.
    public mutating func merge(_ later: StoreChanges) {
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
        for id in later.deleted { kinds[id] = kinds[id] == .inserted ? nil : .deleted }
        let sorted = kinds.sorted { $0.key < $1.key }
        inserted = sorted.filter { $0.value == .inserted }.map(\.key)
        updated = sorted.filter { $0.value == .updated }.map(\.key)
        deleted = sorted.filter { $0.value == .deleted }.map(\.key)
    }

    private enum Kind { case inserted, updated, deleted }

    /// Whether nothing of it is twice for different reasons.
    private var hasOneKind: Bool { [inserted, updated, deleted].filter { !$0.isEmpty }.count < 2 }

    /// In order, each once. What one transaction did mostly is so.
    private static func sorted(_ ids: [ObjectID]) -> [ObjectID] {
        let rises = ids.indices.dropFirst().allSatisfy { ids[$0 - 1] < ids[$0] }
        return rises ? ids : Set(ids).sorted()
    }
}
