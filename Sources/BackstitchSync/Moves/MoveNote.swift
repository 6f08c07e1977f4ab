import Backstitch
import Foundation

// A move takes an object from its zone to another one. The object stays in its zone until the server has its record in
// the other zone, and has it no longer in the former one:
//
// - On this project's server both are one request, whole or not at all. The deletion says where the object has gone.
// - On other servers they are two requests, first the one for the new record. The note keeps that copy.
//
// The notes are states of an object's record in one zone. An event that a table lacks changes nothing.
//
// | no note, and | then |
// |---|---|
// | the program moves the object to B | wanted(B) |
// | the record is deleted, and has moved | gone |
// | the record is deleted, and the server tells of no moves | gone |
// | a record comes here, and the object is in another zone | second |
// | ... and is gone from that zone, and its owner may have made the record | none: the object arrives here |
//
// | wanted(B), and | then |
// |---|---|
// | the program moves the object to C | wanted(C); a copy in B becomes leftover |
// | ... or back to this zone | none; wanted(this zone) if a request may have arrived |
// | the server has taken the move | none: the object is in B |
// | the server refuses the record in B | wanted(B), and the object's change is blocked |
// | the server has another version | wanted(B); zones are read, then the move is tried again |
// | the copy in B has moved: another device was first | none |
// | the copy in B is deleted | wanted(B) without it |
// | the record here is deleted, as in the first table | gone, with the copy; it may go on to another zone |
// | the move cannot take place any more | none |
// | the zone is lost | none, with a copy as for gone; wanted(B) if its objects are sent again |
//
// | gone, and | then |
// |---|---|
// | the program moves the object to B | gone; it goes to B after it has arrived |
// | the record comes here again | none, or wanted(B) |
// | the record comes to another zone | none: the object arrives there |
// | all zones were read, and a copy of this device may be the object | gone; the copy's zone is read again |
// | all zones were read | none: the object is deleted, or kept by an edit |
// | the zone is lost | none; the copy is deleted or read again; gone if objects are sent again |
//
// | second, and | then |
// |---|---|
// | its object is gone from the other zone | none: it arrives here |
// | the record here is deleted | none |
// | all zones were read | `SecondRecordDecision`: `MoveTwins` decides, or the record stays parked |
// | the zone is lost | none |
//
// | leftover, and | then |
// |---|---|
// | the server has the object in its own zone, or it is deleted | none: the record is deleted |
// | the record has changed | none: it is news again |
// | the zone is lost | none |
//
// | followsParent, and | then |
// |---|---|
// | all zones were read | wanted(the parent's zone), or none |
// | the record here is deleted, as in the first table | gone |
// | the zone is lost | none; followsParent if its objects are sent again |
//
// The states `wanted`, and `gone` and `second` until all zones were read, hold back what would decide too early: an
// object that is gone sends nothing, and the deletion of an object with a second record is not sent.

/// A note about an object's record in a zone. All notes of an object are stored together (``MovesOfObject``).
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

extension MoveNote {
    var wanted: WantedMove? { if case .wanted(let wanted) = state { wanted } else { nil } }

    var gone: GoneRecord? { if case .gone(let gone) = state { gone } else { nil } }

    static func unexplainedReason(_ id: ObjectID) -> String {
        "\(id) is also in another zone of this store, and the server reports no move. An object can be in one "
            + "zone only; give one of the two another identity, or delete it"
    }
}
