import Backstitch
import CloudWire

// Only a mark of a zone's owner moves an object. Every user with the right to write can make a record of any name, and
// set any field. Neither of these takes an object out of its zone.
extension RemoteChangeApplier {
    /// Parks an unexplained record of an object in another zone of the same user. The record is explained if the object
    /// is known to have left its zone. If the record has a mark, so that the object moves on from here, the object must
    /// have left its zone for this one. See ``MoveNote/State/unexplained(name:isTold:)``.
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

    /// Keeps the deletion of an object, although its record is gone from this zone. The deletion is still to be weighed
    /// against the record that waits in another zone.
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

    /// Ignores marks that the zone's owner did not set. In the user's own zones, this device also queues their removal:
    /// the owner's next edit would make them the owner's.
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

    /// The record name of the zone's owner; nil while it is not known.
    private func owner() throws -> String? {
        guard settings.isOfOthers else { return try journal.value(of: .account) }
        return try journal.name(ofZone: settings.zoneNumber).flatMap { settings.names.onServer($0).ownerRecordName }
    }

    /// Queues the removal of the marks that other users have set.
    mutating func takeForeignMarksBack() throws {
        guard !moves.foreignMarks.isEmpty else { return }
        let keys = moves.foreignMarks.filter { key in
            // This device's own mark replaces the foreign one.
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
    /// The state of an object with an unsent deletion, if its record is gone or was replaced. Without a tag the server
    /// would delete any record of the same name. With a tag that no record has, the deletion meets a conflict.
    var ofNoRecord: RecordState {
        RecordState(objectID: objectID, foreignName: foreignName, changeTag: Self.tagOfNoRecord)
    }

    /// Whether the record that the deletion was made for is known to be gone.
    var isOfNoRecord: Bool { changeTag == Self.tagOfNoRecord }

    /// A change tag that no record of a server has.
    static let tagOfNoRecord = "0"
}

extension MoveNote {
    /// Whether the object's record says that it leaves the zone of the note, or has left it, for another zone.
    ///
    /// - Parameter zone: The other zone's name on the server; nil for any zone.
    func leads(to zone: String?) -> Bool {
        switch state {
        case .marked(let mark, _, _, _, _): zone == nil || mark.zone == zone
        case .formerRecord(let mark, _, _): zone == nil || mark?.zone == zone
        case .deletionInDoubt(let mark, _), .emptied(let mark): zone == nil || mark.zone == zone
        case .wanted, .recordsLost, .unexplained, .followsParent: false
        }
    }

    static func unexplainedReason(_ id: ObjectID) -> String {
        "\(id) is also in another zone of this store, and the server reports no move. An object can be in one "
            + "zone only; give one of the two another identity, or delete it"
    }
}
