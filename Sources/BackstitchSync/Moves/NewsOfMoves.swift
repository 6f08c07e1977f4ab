import Backstitch
import CloudWire

/// The facts about moving objects in the incoming changes of one zone.
struct NewsOfMoves {
    /// The notes from before these changes.
    private(set) var known: MoveNotes?
    var changes: [ZonedKey: MoveNote?] = [:]
    /// Objects with a mark that the zone's owner did not set.
    var foreignMarks: Set<ObjectKey> = []
    /// Objects whose records came to this zone from another one, even if the other zone's changes do not say so.
    var explained: Set<ObjectKey> = []
    /// Objects whose present or future zone is known from the server. A mark of this device's own is no longer to be
    /// set.
    var answered: Set<ObjectKey> = []
    /// Objects that were in another zone on this device until now.
    var arrivals: [ObjectKey] = []
    var parents: [(child: ObjectID, parent: ObjectKey)] = []
    /// New objects that may be parents of others, each with the user who made it.
    var made: [(key: ObjectKey, user: String?)] = []

    mutating func begin(with notes: MoveNotes) { known = notes }

    /// Returns an unsent change without its mark, if the mark is out of date. Nil if nothing else is in the change.
    func unmarked(_ entry: OutboxEntry?) -> OutboxEntry? {
        guard var entry, entry.marksMove, answered.contains(entry.objectID.key) else { return entry }
        entry.fields = entry.edits
        return entry.kind == .update && entry.fields.isEmpty ? nil : entry
    }

    mutating func change(_ subject: ZonedKey, to note: MoveNote?) {
        changes.updateValue(note, forKey: subject)
    }

    /// Forgets every note about an object in these zones.
    mutating func takeBack(_ key: ObjectKey, zones: [Int64]) {
        for zone in zones { changes[ZonedKey(zone: zone, key: key)] = nil }
        arrivals.removeAll { $0 == key }
        answered.remove(key)
    }
}
