import Foundation

// Values beneath unsaved edits.
extension ChangeSet {
    /// Remembers what the edited properties of an object held that is about to be read anew.
    func rememberBase(of object: ManagedObject) {
        guard !object.isNew, let edits = object.edits, let snapshot = object.snapshot else { return }
        for slot in edits.changed.slots where mergedBases[object.key]?[slot] == nil {
            mergedBases[object.key, default: [:]][slot] = snapshot.batch.value(snapshot.row, slot)
        }
    }

    /// Forgets what lay beneath the edits of an object: the program has taken note of others' changes.
    func forgetBase(of object: ManagedObject) { mergedBases[object.key] = nil }

    /// Forgets what lay beneath edits: it is settled whose values hold.
    func forgetBases() { mergedBases = [:] }
}

// Stores and zones of new objects.
extension ChangeSet {
    /// Has a new object saved into the store with that identifier.
    func assign(_ object: ManagedObject, to store: UUID) { assignments[object.key] = store }

    /// Has a new object saved into the zone of that name.
    func assign(_ object: ManagedObject, toZone zone: String) { zones[object.key] = zone }

    /// Takes over the stores and zones that objects of a child context were given to.
    func takeAssignments(of child: ChangeSet) {
        assignments.merge(child.assignments) { $1 }
        zones.merge(child.zones) { $1 }
    }

    /// Forgets the stores and zones that objects were given to: they are saved there.
    func forgetAssignments() { (assignments, zones) = ([:], [:]) }

    /// Likewise for some objects.
    func forgetAssignments(ofSaved keys: Set<ObjectKey>) {
        for key in keys { (assignments[key], zones[key]) = (nil, nil) }
    }
}

// Ends of orders.
extension ChangeSet {
    /// The last rank of an ordered relationship; nil where it is not known.
    func lastRank(at end: LinkEnd) -> Rank? { lastRanks[end] }

    /// Notes the last rank of an ordered relationship.
    func noteLastRank(_ rank: Rank?, at end: LinkEnd) { lastRanks[end] = rank }

    /// Forgets last ranks: others may have put something behind them.
    func forgetLastRanks() { lastRanks = [:] }
}
