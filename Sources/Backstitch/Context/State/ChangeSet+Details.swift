import Foundation

// Values beneath unsaved edits.
extension ChangeSet {
    /// Remembers what the edited properties of an object held that is about to be read anew.
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

    /// Forgets what lay beneath the edits of an object: the program has taken note of others' changes. The row is kept
    /// that it was edited over: the one that is about to be read may be missing.
    func acceptChanges(beneath object: ManagedObject) {
        guard object.hasChangedColumns, !object.isNew, let row = lastRow(of: object) else {
            mergedBases[object.key] = nil
            return
        }
        mergedBases[object.key] = MergedBase(row: row)
    }

    /// The row that an edited object had when it was last read.
    func lastRow(of object: ManagedObject) -> RowSnapshot? { object.snapshot ?? mergedBases[object.key]?.row }

    /// Forgets what lay beneath edits: it is settled whose values hold.
    func forgetBases() { mergedBases = [:] }
}

// Objects whose changes do not go with others'.
extension ChangeSet {
    /// Whether there are some.
    var hasDisputes: Bool { !disputes.isEmpty }

    /// Notes that others have deleted an object that was changed here, or changed one that is to be deleted.
    func dispute(_ object: ManagedObject) { disputes.insert(object.key) }

    /// Whether that was noted.
    func isDisputed(_ object: ManagedObject) -> Bool { hasDisputes && disputes.contains(object.key) }

    /// Forgets it: the program has taken note, or it is settled.
    ///
    /// - Returns: Whether it was noted.
    @discardableResult
    func forgetDispute(of object: ManagedObject) -> Bool { hasDisputes && disputes.remove(object.key) != nil }

    /// Forgets all: they are settled.
    func forgetDisputes() { disputes = [] }
}

// Stores and zones of new objects.
extension ChangeSet {
    /// Has a new object saved into the store with that identifier.
    func assign(_ object: ManagedObject, to store: UUID) { assignments[object.key] = store }

    /// Has a new object saved into the zone of that name.
    func assign(_ object: ManagedObject, toZone zone: String) { zones[object.key] = zone }

    /// Takes over the stores and zones that objects of a child context were given to, and whether it chose keys.
    func takeAssignments(of child: ChangeSet) {
        assignments.merge(child.assignments) { $1 }
        zones.merge(child.zones) { $1 }
        givesKeys = givesKeys || child.givesKeys
    }

    /// Forgets the stores and zones that objects were given to: they are saved there.
    func forgetAssignments() { (assignments, zones, givesKeys) = ([:], [:], false) }

    /// Likewise for some objects.
    func forgetAssignments(ofSaved keys: Set<ObjectKey>) {
        for key in keys { (assignments[key], zones[key]) = (nil, nil) }
    }
}

// Orders.
extension ChangeSet {
    /// Notes that an object has an order that its row does not have yet.
    func noteUnwrittenOrders(of object: ManagedObject) { unwrittenOrders.append(object) }

    /// Returns the objects whose rows lack orders; these are written then.
    func takeUnwrittenOrders() -> [ManagedObject] {
        if unwrittenOrders.isEmpty { return [] }
        defer { unwrittenOrders = [] }
        return unwrittenOrders
    }

    /// Has orders read anew when they are next used. Those that rows do not have are to be written before.
    func forgetOrders() { orderEpoch &+= 1 }
}
