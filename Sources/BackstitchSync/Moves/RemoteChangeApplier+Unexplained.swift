import Backstitch
import CloudWire

// A move is what the owner of a zone has marked. Whoever may write into it can make a record of any name, and set any
// field: neither takes an object out of the zone in which it is.
extension RemoteChangeApplier {
    /// Parks a record of an object that is in another zone of the same user, as long as nothing says that the object
    /// has left that one, or, of an object that goes on from here, that it has left that one for this zone; see
    /// ``MoveNote/State/unexplained(name:isTold:)``.
    mutating func holdsBack(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, let former = elsewhere[item.key], !moves.explained.contains(item.key),
            let record = item.record, !settings.isOfOthers || isOfSameOwner(former),
            let id = states[item.key]?.objectID ?? entries[item.key]?.objectID
        else { return false }
        let here = item.mark == nil ? nil : try journal.nameOnServer(ofZone: settings.zoneNumber, settings.names)
        if moves.known?.objects[ZonedKey(zone: former, key: item.key)]?.leads(to: here) == true { return false }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        var isTold = false
        if case .unexplained(_, let wasTold)? = moves.known?.objects[subject]?.state { isTold = wasTold }
        try keep(record, MoveNote.unexplainedReason(id))
        moves.change(
            subject,
            to: MoveNote(entityName: id.entityName, state: .unexplained(name: item.name, isTold: isTold)))
        return true
    }

    /// Keeps the deletion of an object whose record is gone from this zone, since it is still to be weighed against the
    /// one that waits in another zone.
    mutating func keepsDeletion(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, item.record == nil, let entry = entries[item.key], entry.kind == .delete,
            moves.known?.undecided.contains(item.key) == true
        else { return false }
        try dropParked(item)
        notes.states.append(
            RecordState(objectID: entry.objectID, foreignName: item.foreignName, changeTag: nil).ofNoRecord)
        result.echoed += 1
        return true
    }

    /// Takes marks for none that others than the zone's owner have set, and has this user's own device take them away
    /// again: the next edit of the owner would make them the owner's.
    mutating func withoutForeignMarks(_ news: [RemoteChange]) throws -> [RemoteChange] {
        guard settings.followsMoves, news.contains(where: { $0.mark != nil }), let owner = try owner() else {
            return news
        }
        return news.map { item in
            guard item.mark != nil, let user = item.record?.modified?.userRecordName, user != owner,
                settings.isOfOthers || user != WireStamp.callerName
            else { return item }
            var item = item
            item.mark = nil
            if settings.mayMove { moves.foreignMarks.insert(item.key) }
            return item
        }
    }

    /// The record name of the user whose zone it is; nil where that is not known yet.
    private func owner() throws -> String? {
        guard settings.isOfOthers else { return try journal.value(of: .account) }
        return try journal.name(ofZone: settings.zoneNumber).flatMap { settings.names.onServer($0).ownerRecordName }
    }

    /// Has the marks taken away that others have set.
    mutating func takeForeignMarksBack() throws {
        guard !moves.foreignMarks.isEmpty else { return }
        let keys = moves.foreignMarks.filter { key in
            // The mark that this device sets itself replaces it.
            if case .wanted(to: .some)? = moves.known?.objects[ZonedKey(zone: settings.zoneNumber, key: key)]?.state {
                return false
            }
            return elsewhere[key] == nil
        }
        let states = try journal.recordStates(for: keys.sorted())
        for id in states.values.map(\.objectID).sorted() {
            try journal.takeMarkBack(of: id, inZone: settings.zoneNumber)
            result.mayMove = true
            result.hasUnsent = true
        }
    }
}

extension RecordState {
    /// The state of an object whose deletion is still to be sent, though there is no record any more, or another one
    /// than it was made for. Without a tag it would be carried out, whatever the record is; it meets a conflict with
    /// one that no record has.
    var ofNoRecord: RecordState {
        RecordState(objectID: objectID, foreignName: foreignName, changeTag: Self.tagOfNoRecord)
    }

    /// Whether it is known that the record is not there for which the object's deletion was made.
    var isOfNoRecord: Bool { changeTag == Self.tagOfNoRecord }

    /// A change tag that no record of a server has.
    static let tagOfNoRecord = "0"
}

extension MoveNote {
    /// Whether the object's record says that it leaves the zone of the note, or has left it, for another one.
    ///
    /// - Parameter zone: That one's name on the server; nil for any.
    func leads(to zone: String?) -> Bool {
        switch state {
        case .marked(let mark, _, _, _, _): zone == nil || mark.zone == zone
        case .leftBehind(let mark, _, _): zone == nil || mark?.zone == zone
        case .deletedBehind(let mark, _), .emptied(let mark): zone == nil || mark.zone == zone
        case .wanted, .homeless, .unexplained, .astray: false
        }
    }

    static func unexplainedReason(_ id: ObjectID) -> String {
        "\(id) is in another zone of this store, and nothing says that it has left that one; an object is in one zone, "
            + "so give one of the two another identity, or delete it"
    }
}
