import Backstitch
import Foundation

// A move takes an object from its zone to another one. The object stays in its zone until the server has its record in
// the other zone, and has it no longer in the former one:
//
// - On this project's server both are one request, whole or not at all. The deletion says where the object has gone.
// - On other servers they are two requests, first the one for the new record. The note keeps that copy.
//
// The notes are states of an object's record in one zone. An empty cell means that nothing changes.
//
// | event | no note | wanted(to) | gone | second | leftover | followsParent |
// |---|---|---|---|---|---|---|
// | the program moves the object to B | wanted(B) | wanted(B); the copy elsewhere becomes leftover | goes to B after it has arrived | wanted(B) | wanted(B) | wanted(B) |
// | ... or back to this zone | | none, or wanted(this zone) if a request may have arrived | as above | | | |
// | the server has taken the move | | none: the object is in B | | | | |
// | the server refuses the record in B | | the object's change is blocked | | | | |
// | another version was met | | zones are read, then tried again | | | | |
// | the feed tells that the copy in B is gone | | none if it has moved: another device was first; else wanted(B) without it | | | | |
// | the feed tells that the record was deleted, and moved | gone | gone, with the copy; it goes on to B if this device has moved it | gone | none | none | gone |
// | ... and tells of no move | deleted; on other servers gone | as without a note | | none | none | as without a note |
// | the feed has the record, the object is in this zone | | | none: it has come back; or wanted(B) | none: it is the object's record | none | |
// | ... the object is in another zone, gone from it, and its owner may have made the record | it arrives here | | | it arrives | it arrives | |
// | ... the object is in another zone | second | | | second | second; unchanged for the noted tag | |
// | all zones were read | | | deleted, unless a record elsewhere waits; a copy that may be the object is read first | the younger record decides (`MoveTwins`) | deleted on the server | wanted(the parent's zone) |
// | the move cannot take place any more | | none | | | | none |
// | the zone was lost | | none; if its objects are sent again, wanted | none; or unchanged | none | none | none; or unchanged |
//
// The states `wanted`, and `gone` and `second` until all zones were read, hold back what would decide too early: an
// object that is gone sends nothing, and the deletion of an object with a second record is not sent.

/// A note about an object's record in a zone. The zone is part of the note's key (``ZonedKey``).
struct MoveNote: Codable, Hashable {
    enum State: Codable, Hashable {
        /// The object is in this zone, and is to go to another one.
        case wanted(WantedMove)
        /// The object is in this zone, and the server has its record no longer. It may be in another zone. Nothing of
        /// the object is sent until all zones were read. If none has it, it was deleted.
        case gone(GoneRecord)
        /// The object is in another zone, and nothing says that it has left. Its record in this zone is parked.
        /// Possible causes:
        ///
        /// - The other zone's news of the move is read later, or another server's second step is still to come.
        /// - The object has two records, since a zone was lost and filled again, or the server has gone back.
        /// - Another user has given an unrelated record this name.
        ///
        /// Until the cause is known, a deletion of the object is not sent: it may have to be weighed against this
        /// record.
        ///
        /// - Parameter since: The time at which the record was met, in milliseconds since 1970, if another device may
        ///   be about to delete the object's other record.
        /// - Parameter isTold: Whether the record stays parked for good, and was reported.
        case second(name: String, since: Int64?, isTold: Bool)
        /// The record in this zone is to be deleted, because its object is in another zone.
        case leftover(name: String, tag: String)
        /// The parent of the object is in another zone. The object is to follow it.
        case followsParent
    }

    let entityName: String
    var state: State
}

extension MoveNote: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
}

extension MoveNote {
    var wanted: WantedMove? { if case .wanted(let wanted) = state { wanted } else { nil } }

    var gone: GoneRecord? { if case .gone(let gone) = state { gone } else { nil } }

    static func unexplainedReason(_ id: ObjectID) -> String {
        "\(id) is also in another zone of this store, and the server reports no move. An object can be in one "
            + "zone only; give one of the two another identity, or delete it"
    }
}
