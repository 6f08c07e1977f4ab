import Backstitch

/// The objects that a save links without writing them otherwise. Links raise no versions, so only this check finds a
/// deleted one.
struct LinkEnds {
    private var keys: [ResolvedEntity: Set<ObjectKey>] = [:]

    init(_ request: SaveChangesRequest, _ changes: SaveChanges, model: ResolvedModel) {
        let links = request.links.filter { !$0.added.isEmpty }
        guard !links.isEmpty else { return }
        let written = changes.inserted.union(changes.deleted).union(request.updates.flatMap(\.rows.keys))
        for change in links {
            guard let relationship = change.property.relationship else { continue }
            note(change.added.map(\.source), of: change.entity, unless: written)
            note(change.added.map(\.target), of: model.destination(of: relationship), unless: written)
        }
    }

    private mutating func note(_ ends: [ObjectKey], of entity: ResolvedEntity, unless written: Set<ObjectKey>) {
        let open = ends.filter { !written.contains($0) }
        if !open.isEmpty { keys[entity, default: []].formUnion(open) }
    }

    /// Finds the objects in the store, and prevents others from deleting them before the end of the save.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each missing object.
    func require(in reader: RowReader) throws {
        var conflicts = SaveConflicts()
        for (entity, keys) in keys.sorted(by: { $0.key.index < $1.key.index }) {
            let missing = try keys.subtracting(reader.held(of: entity, keys: keys.sorted()))
            for key in missing.sorted() { conflicts.unlinkable(entity, key) }
        }
        if !conflicts.isEmpty { throw try conflicts.error(reader) }
    }
}
