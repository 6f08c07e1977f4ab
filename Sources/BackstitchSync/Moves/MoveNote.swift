import Backstitch
import CloudWire
import Foundation

/// How far an object's move out of a zone has got.
struct MoveNote: Codable, Hashable {
    enum State: Codable, Hashable {
        /// Its record is to be marked with that zone of the server; nil takes the mark away again.
        case wanted(to: String?)
        /// Its record has the mark. Nothing of it is sent to the zone any more.
        ///
        /// - Parameters:
        ///   - tag: Nil where the record is gone.
        ///   - isOwn: Whether this device has marked it, and brings it to the other zone.
        ///   - since: When another's mark was met that has led nowhere yet, in milliseconds since 1970.
        case marked(MoveMark, name: String, tag: String?, isOwn: Bool, since: Int64?)
        /// It is in another zone, and nothing is to be left of its record here, but that mark, once the server has the
        /// other one. Without a mark the record is to be deleted: it may also be an old one in the way of an object
        /// that has come back.
        case leftBehind(MoveMark?, name: String, tag: String?)
        /// It is in another zone, and its marked record, from which nothing was taken yet, is not here any more.
        /// Somebody has deleted it who did not know that it was in the other zone, or who brings it back, or the server
        /// has lost it; see ``DeletedBehind``. Nothing is sent of the object until that is decided.
        ///
        /// - Parameter isTold: Whether the feed has told of its deletion.
        case deletedBehind(MoveMark, isTold: Bool)
        /// It is in another zone, to which another device has brought it too: that one has emptied its record here.
        /// Nothing is sent of it until its record there has come. The server is asked for that: where it has none,
        /// somebody has deleted the object.
        case emptied(MoveMark)
        /// It is in another zone, where the server does not have it yet, and the records of this one were lost. Nothing
        /// is to be done here; but where the other zone is lost too, it comes back.
        case homeless(name: String)
        /// Its record in this zone is parked, since the object is in another zone, and nothing says that it has left
        /// that one: the news of it may be later than those of where it is, there may be two records where a zone was
        /// lost and filled again or a server has gone back, and anybody may have given a record that name. Or the
        /// object is on its way to this zone, and its former record here would look the same. Until that has turned out
        /// a deletion of the object is not sent: it may have to be weighed against this record.
        ///
        /// - Parameter isTold: Whether it has turned out that nothing will say so.
        case unexplained(name: String, isTold: Bool)
        /// Its parent is in another zone: it is to follow.
        case astray
    }

    let entityName: String
    var state: State
}

extension MoveNote {
    /// A move whose mark the server has taken from here.
    init(markedAs item: PushItem, to zone: String, tag: String?) {
        let name = item.operation.record.recordName
        self.init(
            entityName: item.entry.objectID.entityName,
            state: .marked(MoveMark(zone), name: name, tag: tag, isOwn: true, since: nil))
    }
}

extension MoveNote {
    /// The note after the record was found missing, or its deletion was told; nil where nothing is left to decide.
    func withoutRecord(isTold: Bool) -> MoveNote? {
        switch state {
        case .leftBehind(let mark?, _, _) where !mark.isDone, .deletedBehind(let mark, _):
            MoveNote(entityName: entityName, state: .deletedBehind(mark, isTold: isTold))
        case .emptied: self
        case .leftBehind, .wanted, .marked, .homeless, .unexplained, .astray: nil
        }
    }

    /// The note after the marked record of an object that is still here is gone; nil for others. That may have been
    /// deleted with the object, or out of the way of it: it was in the other zone since, and comes back. The zones
    /// tell, as they do of one that has moved.
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
