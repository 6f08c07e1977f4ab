import Backstitch
import CloudWire

/// The facts about moving objects in the incoming changes of one zone.
struct NewsOfMoves {
    /// The notes from before these changes, about the objects of the news.
    private(set) var known = MoveNotes()
    private(set) var changes: [ZonedKey: MoveNote?] = [:]
    /// Objects whose records came to this zone from another one, even if the other zone's changes do not say so.
    var explained: Set<ObjectKey> = []
    /// Objects that were in another zone on this device until now.
    var arrivals: [ObjectKey] = []
    var parents: [(child: ObjectID, parent: ObjectKey)] = []
    /// New objects that may be parents of others, each with the user who made it.
    var made: [(key: ObjectKey, user: String?)] = []

    /// Takes notes about more objects.
    mutating func know(_ notes: MoveNotes) { known.add(notes) }

    /// The note about an object's record in a zone, with these changes.
    func note(_ subject: ZonedKey) -> MoveNote? {
        if let changed = changes[subject] { return changed }
        return known.objects[subject]
    }

    mutating func change(_ subject: ZonedKey, to note: MoveNote?) {
        changes.updateValue(note, forKey: subject)
    }

    /// Forgets every news about an object in these zones.
    mutating func takeBack(_ key: ObjectKey, zones: [Int64]) {
        for zone in zones { changes[ZonedKey(zone: zone, key: key)] = nil }
        arrivals.removeAll { $0 == key }
    }
}
