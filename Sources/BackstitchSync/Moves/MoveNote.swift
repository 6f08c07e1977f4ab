import Backstitch
import CloudWire
import Foundation

/// The state of an object's move out of one zone. This zone is part of the note's key (``ZonedKey``).
struct MoveNote: Codable, Hashable {
    enum State: Codable, Hashable {
        /// The record is to be marked with a target zone, given by its name on the server. Nil: the mark is to be
        /// removed.
        case wanted(to: String?)
        /// The record has the mark. Nothing more of the object is sent to this zone.
        ///
        /// - Parameters:
        ///   - tag: Nil if the record is gone.
        ///   - isOwn: Whether this device has set the mark, and so brings the object to the target zone.
        ///   - since: The time at which another device's mark was met, in milliseconds since 1970, while its move has
        ///     not gone further.
        case marked(MoveMark, name: String, tag: String?, isOwn: Bool, since: Int64?)
        /// The object is in another zone. Its record here is emptied down to this mark, once the server has the object
        /// there. Without a mark the record is deleted. It may then also be an old record in the way of a returning
        /// object.
        case formerRecord(MoveMark?, name: String, tag: String?)
        /// The object is in another zone, and its marked record here disappeared before it was emptied. A user has
        /// deleted it without knowing of the other zone, a device brings the object back, or the server has lost the
        /// record; see ``DeletionInDoubt``. Nothing of the object is sent until this is decided.
        ///
        /// - Parameter isTold: Whether the feed has told of the record's deletion.
        case deletionInDoubt(MoveMark, isTold: Bool)
        /// The object is in another zone. Another device has brought it there too, and has emptied the record here.
        /// Nothing of the object is sent before its new record has come. The server is asked for the new record. If
        /// there is none, the object was deleted.
        case emptied(MoveMark)
        /// The object is in another zone, but not on the server yet, and the records of this zone were lost. Nothing is
        /// to be done here. If the other zone is lost too, the object returns to this one.
        case recordsLost(name: String)
        /// The record in this zone is parked. Its object is in another zone, and nothing says that it has left.
        /// Possible causes:
        ///
        /// - The other zone's news of the move is read later.
        /// - The object has two records, since a zone was lost and filled again, or the server has gone back.
        /// - Another user has given an unrelated record this name.
        /// - The object is on a move to this zone, and its former record here looks the same.
        ///
        /// Until the cause is known, a deletion of the object is not sent: it may have to be weighed against this
        /// record.
        ///
        /// - Parameter isTold: Whether all zones were read, and nothing explains the record.
        case unexplained(name: String, isTold: Bool)
        /// The parent of the object is in another zone. The object is to follow it.
        case followsParent
    }

    let entityName: String
    var state: State
}

extension MoveNote {
    /// Makes the note of a move after the server has accepted the mark from this device.
    init(markedAs item: PushItem, to zone: String, tag: String?) {
        let name = item.operation.record.recordName
        self.init(
            entityName: item.entry.objectID.entityName,
            state: .marked(MoveMark(zone), name: name, tag: tag, isOwn: true, since: nil))
    }
}

extension MoveNote {
    /// The note after its record was found missing, or after the feed told of its deletion. Nil if nothing is left to
    /// decide.
    func withoutRecord(isTold: Bool) -> MoveNote? {
        switch state {
        case .formerRecord(let mark?, _, _) where !mark.isDone, .deletionInDoubt(let mark, _):
            MoveNote(entityName: entityName, state: .deletionInDoubt(mark, isTold: isTold))
        case .emptied: self
        case .formerRecord, .wanted, .marked, .recordsLost, .unexplained, .followsParent: nil
        }
    }

    /// The note after the marked record of an object has disappeared, although the object is still here. Nil for other
    /// states. The record may have been deleted with its object. Or it was deleted to clear the way: the object was in
    /// the other zone since, and comes back. The zones' changes tell which case applies, as after every move.
    var withoutMarkedRecord: MoveNote? {
        guard case .marked(let mark, let name, _, _, _) = state else { return nil }
        let gone = MoveMark(mark.zone, isDone: true)
        return MoveNote(
            entityName: entityName, state: .marked(gone, name: name, tag: nil, isOwn: false, since: nil))
    }
}

extension MoveNote: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
}
