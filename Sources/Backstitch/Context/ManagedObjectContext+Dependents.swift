// Objects without unsaved changes of their own. Because of changes in related objects, a request may still find or
// order them differently from the store.
extension ManagedObjectContext {
    /// Returns stored objects whose key paths in a request lead to changed objects. An object counts as changed if it
    /// has unsaved changes, is to be deleted, or had a saved deletion that was taken back.
    ///
    /// - Complexity: No statement without such changes; else one for each relationship that leads to some.
    func dependents(of request: StoreFetchRequest) throws -> [ManagedObject] {
        guard unsaved.mayChangeStored else { return [] }
        var keys: Set<ObjectKey> = []
        for chain in FollowedPaths(request, in: model).chains { keys.formUnion(try keysOfDependents(along: chain)) }
        guard !keys.isEmpty else { return [] }
        return try existing(keys.sorted(), of: request.entity).filter {
            request.asks(for: $0.entity) && $0.state == .persistent
        }
    }

    /// Runs `body` while the objects on the key paths of a request are loaded. Each relationship takes one statement.
    func loadingPaths<Result>(
        of request: StoreFetchRequest, from objects: [ManagedObject], _ body: () throws -> Result
    ) throws -> Result {
        guard objects.count > 1 else { return try body() }
        let loaded = try related(
            FollowedPaths(request, in: model).relationshipKeyPaths, of: objects, request.entity)
        return try withExtendedLifetime(loaded, body)
    }

    /// Follows a path backwards from each of its steps, to the stored objects that lead there. Unsaved links are
    /// changes of their ends, so each of them begins a search of its own.
    private func keysOfDependents(along chain: [PlannedStep]) throws -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for (level, step) in chain.enumerated().reversed() {
            if let relationship = step.property.relationship {
                let destination = model.destination(of: relationship)
                let going = unsaved.deleted.objects.filter { !$0.isNew }
                let changed = (going + unsaved.returnedObjects).filter { $0.entity.linkIndex == destination.linkIndex }
                keys = try owners(of: keys.union(changed.map(\.key)), relationship, destination)
            }
            // At level 0, objects whose own columns changed are unsaved objects themselves.
            if level > 0 || step.property.relationship?.storage != .column { keys.formUnion(keysOfChanged(step)) }
        }
        return keys
    }

    /// The objects whose property in a step has an unsaved change.
    private func keysOfChanged(_ step: PlannedStep) -> [ObjectKey] {
        let entity = step.entity.linkIndex, slot = step.property.slot
        if step.property.isColumn {
            return unsaved.updated.filter { $0.entity.linkIndex == entity && $0.edits?[slot] != nil }.map(\.key)
        }
        return unsaved.links.deltas.keys.filter { $0.entityIndex == entity && $0.slot == slot }.map(\.key)
    }

    /// Returns the objects whose relationship leads to `keys`, in the store or parent below the context.
    private func owners(
        of keys: Set<ObjectKey>, _ relationship: ResolvedRelationship, _ destination: ResolvedEntity
    ) throws -> Set<ObjectKey> {
        guard !keys.isEmpty else { return [] }
        let inverse = model.inverse(of: relationship)
        guard inverse.isColumn else {
            let related = try reading().related(by: inverse, of: destination, sources: keys.sorted())
            return Set(related.links.map { related.rows.keys[$0.row] })
        }
        let owners = try reading().snapshots(of: destination, keys: keys.sorted()).compactMap { row -> ObjectKey? in
            guard case .object(let id) = row.batch.value(row.row, inverse.slot) else { return nil }
            return id.key
        }
        return Set(owners)
    }
}
