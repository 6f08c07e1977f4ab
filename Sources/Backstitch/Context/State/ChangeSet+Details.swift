import Foundation

// Values beneath unsaved edits.
extension ChangeSet {
    /// Remembers the stored values of an object's edited properties. The object is about to be read anew.
    func rememberBase(of object: ManagedObject) {
        guard object.hasChangedColumns, !object.isNew, let edits = object.edits, let row = object.snapshot else {
            return
        }
        var base = mergedBases[object.key] ?? MergedBase(row: row)
        base.row = row
        for slot in edits.changed.slots where base.values[slot] == nil {
            base.values[slot] = row.batch.value(row.row, slot)
        }
        mergedBases[object.key] = base
    }

    /// Forgets the values beneath the edits of an object, because the program has accepted changes made elsewhere. The
    /// row beneath the edits is kept, because the next read may find no row.
    func acceptChanges(beneath object: ManagedObject) {
        guard object.hasChangedColumns, !object.isNew, let row = lastRow(of: object) else {
            mergedBases[object.key] = nil
            return
        }
        mergedBases[object.key] = MergedBase(row: row)
    }

    /// The row of an edited object when it was last read.
    func lastRow(of object: ManagedObject) -> RowSnapshot? { object.snapshot ?? mergedBases[object.key]?.row }

    /// Forgets all values beneath edits, because the conflicts are settled.
    func forgetBases() { mergedBases = [:] }
}

// Objects whose changes contradict changes made elsewhere.
extension ChangeSet {
    /// Whether any object is in dispute.
    var hasDisputes: Bool { !disputes.isEmpty }

    /// Puts an object in dispute: it was changed here and deleted elsewhere, or is to be deleted here and was changed
    /// elsewhere.
    func dispute(_ object: ManagedObject) { disputes.insert(object.key) }

    /// Whether the object is in dispute.
    func isDisputed(_ object: ManagedObject) -> Bool { hasDisputes && disputes.contains(object.key) }

    /// Ends a dispute, because the program has accepted the other side or the dispute is settled.
    ///
    /// - Returns: Whether the object was in dispute.
    @discardableResult
    func forgetDispute(of object: ManagedObject) -> Bool { hasDisputes && disputes.remove(object.key) != nil }

    /// Ends all disputes, because they are settled.
    func forgetDisputes() { disputes = [] }
}

// Stores and zones of new objects.
extension ChangeSet {
    /// Assigns a new object to the store with that identifier.
    func assign(_ object: ManagedObject, to store: UUID) { assignments[object.key] = store }

    /// Assigns a new object to the zone of that name.
    func assign(_ object: ManagedObject, toZone zone: String) { zones[object.key] = zone }

    /// Takes over the assigned stores and zones of a child context's objects, and its note of chosen keys.
    func takeAssignments(of child: ChangeSet) {
        assignments.merge(child.assignments) { $1 }
        zones.merge(child.zones) { $1 }
        givesKeys = givesKeys || child.givesKeys
    }

    /// Forgets the assigned stores and zones, because the objects are saved there.
    func forgetAssignments() { (assignments, zones, givesKeys) = ([:], [:], false) }

    /// Forgets the assigned stores and zones of saved objects.
    func forgetAssignments(ofSaved keys: Set<ObjectKey>) {
        for key in keys { (assignments[key], zones[key]) = (nil, nil) }
    }
}

// Orders.
extension ChangeSet {
    /// Notes an object with a new order. Its row does not have this order yet.
    func noteUnwrittenOrders(of object: ManagedObject) { unwrittenOrders.append(object) }

    /// Returns the objects whose rows lack orders, and clears the list: the caller writes the orders.
    func takeUnwrittenOrders() -> [ManagedObject] {
        if unwrittenOrders.isEmpty { return [] }
        defer { unwrittenOrders = [] }
        return unwrittenOrders
    }

    /// Makes known orders out of date, so that their next use reads them anew. Orders that rows do not have must be
    /// written before.
    func forgetOrders() { orderEpoch &+= 1 }
}
