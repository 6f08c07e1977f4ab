// Unsaved edits beneath which changes made elsewhere were merged. If both changed the same property, the merge policy
// settles the conflict at the save.
extension ManagedObjectContext {
    /// Settles properties that were edited here and also changed by a merge.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose policy is
    ///   ``MergePolicy/error``; nothing has changed then.
    func settleMergedEdits() throws {
        guard !unsaved.mergedBases.isEmpty else { return }
        forgetOrders()
        defer { unsaved.forgetOrders() }
        let conflicts = try unsaved.mergedBases.compactMap { key, base -> MergedEdits? in
            guard let object = registeredObject(key), object.state == .persistent else { return nil }
            return try MergedEdits(object, base: base)
        }
        .sorted { $0.object.key < $1.object.key }
        let refused = conflicts.filter { mergePolicy(for: $0.object.entity) == .error }.map(\.error)
        guard refused.isEmpty else {
            throw BackstitchError.combining(
                refused, code: .saveConflict,
                summary: "\(refused.count) objects have unsaved changes to values that others have changed too:")
        }
        for conflict in conflicts { try settle(conflict) }
        unsaved.forgetBases()
    }

    private func settle(_ conflict: MergedEdits) throws {
        let slots: [Int]
        switch mergePolicy(for: conflict.object.entity) {
        case .mergeByPropertyStoreTrump: slots = conflict.slots
        case .rollback: slots = conflict.edits.changed.slots
        case .mergeByPropertyObjectTrump, .overwrite, .error: return
        }
        for slot in slots {
            try dropEdit(slot, of: conflict.object, conflict.snapshot)
            conflict.edits.drop(slot)
        }
        if conflict.edits.isEmpty { conflict.object.edits = nil }
        notifier.noteRefresh(of: conflict.object)
    }
}

/// An object with properties that were changed both here and elsewhere.
private struct MergedEdits {
    let object: ManagedObject
    let edits: ObjectEdits
    /// The stored row, as far as the context has merged it.
    let snapshot: RowSnapshot
    /// The columns that were changed on both sides.
    let slots: [Int]
    private let base: [Int: Value]

    /// Nil if no column is in conflict, or if the row is found to be gone.
    ///
    /// - Parameter base: The values of the columns when they were edited.
    init?(_ object: ManagedObject, base: MergedBase) throws {
        guard let snapshot = try object.loadedSnapshot(), !object.isNew, let edits = object.edits else { return nil }
        self.object = object
        self.edits = edits
        self.snapshot = snapshot
        self.base = base.values
        slots = base.values.keys.sorted().filter { slot in
            let theirs = snapshot.batch.value(snapshot.row, slot)
            return edits[slot].map { $0 != theirs } ?? false && base.values[slot] != theirs
        }
        if slots.isEmpty { return nil }
    }

    var error: BackstitchError {
        let names = slots.map { object.entity.properties[$0].name }
        var conflict = MergeConflict(object, cached: snapshot, stored: snapshot)
        for slot in slots { conflict.base[object.entity.properties[slot].name] = base[slot] }
        return BackstitchError(
            .saveConflict,
            "\(object.objectID): \(names.joined(separator: ", ")) was changed here and by others, and the "
                + "context has merged their change; call refresh(_:mergeChanges:) with true for the values here or "
                + "false for theirs, or choose a mergePolicy",
            objectID: object.objectID, key: names[0], mergeConflict: conflict)
    }
}
