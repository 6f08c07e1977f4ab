extension ManagedObjectContext {
    /// Merges two objects that a unique constraint forbids, or takes a change back; see ``ConstraintConflict``.
    func resolveConstraints(_ error: BackstitchError) throws {
        let conflicts = (error.faults.isEmpty ? [error] : error.faults).compactMap(\.constraintConflict)
        let objects = conflicts.compactMap { registeredObject($0.objectID.key) }
        guard !conflicts.isEmpty, objects.count == conflicts.count else { throw error }
        guard objects.allSatisfy({ mergePolicy(for: $0.entity) != .error }) else { throw error.advisingMergePolicy() }
        forgetOrders()
        for (conflict, mine) in zip(conflicts, objects) {
            let other = try object(with: conflict.otherObjectID)
            // An object is no obstacle any more if an earlier conflict removed it, or if it was deleted elsewhere. The
            // next plan shows this.
            guard !mine.isGone, try !other.isGone && (other.isNew || other.loadedSnapshot() != nil) else {
                continue
            }
            if mine.isNew {
                try merge(mine, into: other)
            } else if mineWins(mine) {
                try replace(other, by: mine)
            } else {
                try takeBack(conflict.keys, of: mine)
            }
        }
    }

    private func merge(_ mine: ManagedObject, into other: ManagedObject) throws {
        let entity = mine.entity
        var taken = PropertySet()
        for column in 0..<entity.columnCount where entity.owns(column) && other.entity.owns(column) {
            if entity.properties[column].attribute?.derivation != nil { continue }
            let value = try mine.value(ofColumn: column), present = try other.value(ofColumn: column)
            guard takes(value, over: present, default: entity.defaults[column], mergePolicy(for: entity)) else {
                continue
            }
            taken.insert(column)
            if entity.properties[column].attribute != nil { try other.setColumn(column, to: value) }
        }
        forgetOrders()
        try moveLinks(of: mine, to: other, replacing: taken)
        try takeOut(mine)
    }

    private func takes(
        _ value: Value, over present: Value, default initial: Value, _ policy: MergePolicy
    ) -> Bool {
        switch policy {
        case .overwrite: true
        case .mergeByPropertyObjectTrump: value != initial
        case .mergeByPropertyStoreTrump: value != initial && present == initial
        case .rollback, .error: false
        }
    }

    private func replace(_ other: ManagedObject, by mine: ManagedObject) throws {
        try moveLinks(of: other, to: mine, replacing: PropertySet())
        unsaved.unlistUpdate(other)
        try markDeleted(other)
    }

    private func takeBack(_ keys: [String], of mine: ManagedObject) throws {
        guard let snapshot = try mine.loadedSnapshot() else { return }
        for property in try keys.map(mine.entity.requireProperty) {
            let saved = snapshot.batch.value(snapshot.row, property.slot)
            if property.attribute != nil {
                try mine.setColumn(property.slot, to: saved)
            } else if case .object(let id) = saved {
                try mine.link(property, to: object(with: id))
            } else {
                try mine.link(property, to: nil)
            }
        }
        forgetOrders()
    }

    /// Moves all links of `loser` to `winner`.
    ///
    /// - Parameter replaced: The to-one columns of `winner` that take the destination of `loser`.
    private func moveLinks(of loser: ManagedObject, to winner: ManagedObject, replacing replaced: PropertySet) throws {
        for property in loser.entity.relationships where winner.entity.owns(property.slot) {
            guard let relationship = property.relationship else { continue }
            // A link between the two leads nowhere after the merge.
            let targets = try loser.destinations(of: property).filter { !$0.isGone }
            let kept = targets.filter { $0 !== winner && $0 !== loser }
            if relationship.isToMany {
                for target in targets { try loser.remove(target, from: property) }
                for target in kept { try winner.add(target, to: property.name) }
            } else {
                let replaces = relationship.storage == .column && replaced.contains(property.slot)
                let isFree = try winner.destinations(of: property).isEmpty
                try loser.link(property, to: nil)
                if replaces || (isFree && !kept.isEmpty) { try winner.link(property, to: kept.first) }
            }
        }
    }
}

extension BackstitchError {
    /// Returns an error of unique constraints with advice: a merge policy would settle it.
    func advisingMergePolicy() -> BackstitchError {
        guard faults.isEmpty else {
            return .combining(
                faults.map { $0.advisingMergePolicy() }, code: code,
                summary: "\(faults.count) objects have values that must be unique:")
        }
        guard constraintConflict != nil else { return self }
        return BackstitchError(
            code, "\(message), or set the context's mergePolicy, which decides whose values win", objectID: objectID,
            key: key,
            cause: cause, constraintConflict: constraintConflict)
    }
}
