// An object is in dispute when it has unsaved changes here and the context knows of a contrary change made elsewhere.
// Either it was deleted elsewhere, or it was changed elsewhere and is to be deleted here.
//
// | here | changed elsewhere | deleted elsewhere |
// |---|---|---|
// | unchanged | is read anew | vanishes |
// | edited | is read anew; each edited property keeps its value (``settleMergedEdits()``) | stays, to be inserted again: in dispute |
// | to be deleted | stays as it was read: in dispute | vanishes |
// | new | the save finds the row | stays |
//
// A save settles disputes by the merge policy before anything else. Delete rules are then carried out only for
// deletions that stay.
extension ManagedObjectContext {
    /// The row of an object is gone. An object with unsaved changes stays, and the next save inserts it again if the
    /// merge policy allows it. Any other object vanishes.
    func loseRow(of object: ManagedObject) {
        let row = object.snapshot ?? unsaved.lastRow(of: object)
        let addsLinks = unsaved.links.addsOwnLinks(of: object)
        guard object.state == .persistent, object.hasChangedColumns || addsLinks else { return vanish(object) }
        guard let row else {
            // The object was never read, and only its links changed. The save handles them.
            return vanish(object, keepsLinks: true)
        }
        identityMap.noteRow(of: object)
        object.snapshot = row
        reinsert(object, over: row)
        unsaved.dispute(object)
    }

    /// Turns an object without a row into an object that the next save inserts again. Its values are those of the row
    /// as it was read, with the changes over them.
    func reinsert(_ object: ManagedObject, over row: RowSnapshot) {
        let edits = ObjectEdits.defaults(of: object.entity)
        for column in 0..<object.entity.columnCount {
            edits.set(object.edits?[column] ?? row.batch.value(row.row, column), at: column)
        }
        object.edits = edits
        object.isNew = true
        object.state = .inserted
        object.collections = [:]
        unsaved.insert(object)
        unsaved.noteReturn(of: object)
        withoutRecording { showAtFarEnds(object) }
    }

    /// The store has a row of a new object. If the object was read before, its differences from that row are changes.
    func regainRow(of object: ManagedObject) {
        unsaved.forgetDispute(of: object)
        object.isNew = false
        object.state = .persistent
        unsaved.update(object)
        guard let row = object.snapshot, let edits = object.edits else { return }
        for column in edits.changed.slots where edits[column] == row.batch.value(row.row, column) {
            edits.drop(column)
            guard let relationship = object.entity.properties[column].relationship else { continue }
            unsaved.forgetLinks(of: object.key, atEndsOf: model.inverse(of: relationship), relationship)
        }
        if edits.isEmpty { object.edits = nil }
        object.collections = [:]
    }

    /// Gives up an object in dispute, because its deletion elsewhere wins.
    func yieldRow(of object: ManagedObject) {
        notifier.noteDeletion(of: object)
        vanish(object)
    }

    /// Settles the objects in dispute by their merge policies.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose policy is
    ///   ``MergePolicy/error``; nothing has changed then.
    func settleDisputes() throws {
        guard unsaved.hasDisputes else { return }
        let objects = unsaved.disputes.compactMap { registeredObject($0) }.sortedByKey
        let stored = try storedRows(of: objects.filter { $0.state == .deleted }.map(\.objectID))
        let conflicts = objects.filter { isInConflict($0, stored: stored[$0.key]) }
        let refused = conflicts.filter { mergePolicy(for: $0.entity) == .error }
            .map { Self.disputeError($0, stored: stored[$0.key]) }
        guard refused.isEmpty else {
            throw BackstitchError.combining(
                refused, code: .saveConflict,
                summary: "\(refused.count) objects have unsaved changes that conflict with others' changes:")
        }
        let keys = Set(conflicts.map(\.key))
        for object in objects {
            try settle(object, isInConflict: keys.contains(object.key), stored: stored[object.key])
        }
        unsaved.forgetDisputes()
    }

    private func settle(_ object: ManagedObject, isInConflict: Bool, stored: RowSnapshot?) throws {
        switch (object.state, stored) {
        case (.deleted, let stored?) where isInConflict: try resolveDeletion(of: object, stored)
        case (.inserted, _): if !isInConflict || !mineWins(object) { yieldRow(of: object) }
        default: break
        }
    }

    /// Whether a dispute is still to be settled. It is not if only links were made elsewhere, or if a change was taken
    /// back.
    private func isInConflict(_ object: ManagedObject, stored: RowSnapshot?) -> Bool {
        guard object.isNew else {
            guard object.state == .deleted, let stored else { return false }
            return object.snapshot.map { !isSame($0, stored, of: object.entity) } ?? true
        }
        guard object.state == .inserted, let row = object.snapshot else { return false }
        return unsaved.links.addsOwnLinks(of: object)
            || (0..<object.entity.columnCount).contains { object.edits?[$0] != row.batch.value(row.row, $0) }
    }

    private static func disputeError(_ object: ManagedObject, stored: RowSnapshot?) -> BackstitchError {
        let (mine, theirs, kept, left) =
            object.state == .deleted
            ? ("deleted", "changed", "to delete it anyway", "to keep their version")
            : ("changed", "deleted", "to insert it again", "to accept the deletion")
        return BackstitchError(
            .saveConflict,
            "\(object.objectID) was \(mine) here and \(theirs) by others, and the context has merged their "
                + "change; call refresh(_:mergeChanges:) with true \(kept) or false \(left), or choose a mergePolicy",
            objectID: object.objectID, mergeConflict: MergeConflict(object, cached: stored, stored: stored))
    }
}

// Comparison of rows as they were read with rows as they are.
extension ManagedObjectContext {
    /// Whether a row is as it was read. The version tells this. For an object of a parent context the values tell it,
    /// because unsaved changes of the parent raise no version.
    func isSame(_ read: RowSnapshot, _ present: RowSnapshot, of entity: ResolvedEntity) -> Bool {
        guard parent != nil else { return read.version == present.version }
        return (0..<entity.columnCount).allSatisfy { column in
            let property = entity.properties[column]
            guard property.attribute?.derivation == nil else { return true }
            let old = read.batch.value(read.row, column), new = present.batch.value(present.row, column)
            return old == new || coordinator.named(old, property) == coordinator.named(new, property)
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns a value as it is in the rows of a store: bytes of an external attribute become their name.
    fileprivate func named(_ value: Value, _ property: ResolvedProperty) -> Value {
        guard property.attribute?.allowsExternalStorage == true else { return value }
        switch value {
        case .data(let data): return .asset(store.assets.reference(to: data))
        case .file(let file): return .asset(file.reference)
        default: return value
        }
    }
}
