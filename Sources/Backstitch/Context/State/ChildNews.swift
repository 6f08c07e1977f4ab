/// The changes of a context that its child contexts have not been told of, by identity.
///
/// Children are told whenever they look. In contrast, ``ContextChanges`` belong to one turn.
struct ChildNews {
    /// The kinds of change of one object, as far as they matter to its readers.
    enum Kind { case inserted, updated, deleted }

    private var kinds: [ObjectKey: (id: ObjectID, kind: Kind)] = [:]

    /// Whether there is nothing to tell.
    var isEmpty: Bool { kinds.isEmpty }

    /// The changes as one value. An object that was inserted and deleted again counts as deleted, because a child may
    /// have read it in between.
    var changes: StoreChanges {
        var changes = StoreChanges()
        for (id, kind) in kinds.values {
            switch kind {
            case .inserted: changes.inserted.append(id)
            case .updated: changes.updated.append(id)
            case .deleted: changes.deleted.append(id)
            }
        }
        changes.inserted.sort()
        changes.updated.sort()
        changes.deleted.sort()
        return changes
    }

    /// Notes a change of an object.
    mutating func note(_ id: ObjectID, _ kind: Kind) {
        let known = kinds[id.key]?.kind
        switch (known, kind) {
        case (.inserted, .updated): break
        case (.deleted, .inserted): kinds[id.key] = (id, .updated)
        default: kinds[id.key] = (id, kind)
        }
    }

    /// Notes changes that were made elsewhere.
    mutating func note(_ changes: StoreChanges) {
        for id in changes.inserted { note(id, .inserted) }
        for id in changes.updated { note(id, .updated) }
        for id in changes.deleted { note(id, .deleted) }
    }
}
