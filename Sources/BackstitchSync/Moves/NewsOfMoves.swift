import Backstitch
import CloudWire

/// The news of a zone about objects on their way from one zone to another.
struct NewsOfMoves {
    /// Knowledge of before.
    private(set) var known: MoveNotes?
    var changes: [ZonedKey: MoveNote?] = [:]
    /// Objects whose records have marks that are none of their owner's.
    var foreignMarks: Set<ObjectKey> = []
    /// Objects whose records have come to this zone from another one, whatever the news of that one say.
    var explained: Set<ObjectKey> = []
    /// Objects of which the server has told where they go, or where they are: a mark of one's own is no longer to be
    /// set.
    var answered: Set<ObjectKey> = []
    /// Objects that were in another zone here.
    var arrivals: [ObjectKey] = []
    var parents: [(child: ObjectID, parent: ObjectKey)] = []
    /// Objects that are new here, and may be parents of others, with the users that have made them.
    var made: [(key: ObjectKey, user: String?)] = []

    mutating func begin(with notes: MoveNotes) { known = notes }

    /// A change that is still to be sent, without a mark that is none of its business any more; nil where nothing is
    /// left.
    func unmarked(_ entry: OutboxEntry?) -> OutboxEntry? {
        guard var entry, entry.marksMove, answered.contains(entry.objectID.key) else { return entry }
        entry.fields = entry.edits
        return entry.kind == .update && entry.fields.isEmpty ? nil : entry
    }

    mutating func change(_ subject: ZonedKey, to note: MoveNote?) {
        changes.updateValue(note, forKey: subject)
    }

    /// Forgets the news of an object in some zones.
    mutating func takeBack(_ key: ObjectKey, zones: [Int64]) {
        for zone in zones { changes[ZonedKey(zone: zone, key: key)] = nil }
        arrivals.removeAll { $0 == key }
        answered.remove(key)
    }
}
