import Backstitch
import CloudWire

// Only a zone's owner moves objects out of it. Every user with the right to write can make a record of any name. Such a
// record takes no object out of its zone.
extension RemoteChangeApplier {
    /// Whether an object whose record is gone from this zone may be in another zone. It certainly has moved if the
    /// deletion says so. Other deletions are in doubt if the server tells of no moves, or was only asked for the
    /// record, or if another zone has a record of the object.
    func mayHaveMoved(_ item: RemoteChange) -> Bool {
        guard !isEveryZoneRead, item.record == nil, elsewhere[item.key] == nil, !ended.contains(item.key),
            states[item.key] != nil || entries[item.key] != nil
        else { return false }
        let mayBeMove =
            item.movedTo != nil || !settings.reportsMoves || !item.isReported
            || moves.known.undecided.contains(item.key)
        // A record that the server never had was not moved. Only records that it may have had are deleted.
        return mayBeMove
            && (item.movedTo != nil || states[item.key]?.changeTag != nil || unanswered[item.key] != nil
                || entries[item.key]?.kind == .delete)
    }

    /// Keeps such an object until all zones were read.
    mutating func keepGone(_ item: RemoteChange) throws {
        guard let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else { return }
        try dropParked(item)
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        let gone = try gone(item, moves.note(subject))
        moves.change(subject, to: MoveNote(entityName: id.entityName, state: .gone(gone)))
        result.echoed += 1
    }

    private func gone(_ item: RemoteChange, _ known: MoveNote?) throws -> GoneRecord {
        var gone = known?.gone ?? GoneRecord()
        if let zone = item.movedTo { gone.to = zone }
        if item.isReported { gone.isMissing = false }
        if let copy = known?.wanted?.copy { gone.copy = copy }
        // The object goes on if it was this device that has moved it. The first move decides otherwise.
        if let wanted = known?.wanted, item.movedTo.map(wanted.sent.contains) ?? !wanted.sent.isEmpty {
            gone.isOwnMove = true
            // The program may have moved it once more.
            let target = try journal.nameOnServer(ofZone: wanted.to, settings.names)
            gone.then = target.map(wanted.sent.contains) == true ? nil : wanted.to
        }
        return gone
    }

    /// Whether a record is about to be deleted, because its object is not in this zone.
    func isLeftover(_ item: RemoteChange) -> Bool {
        let isHere = elsewhere[item.key] == nil && (states[item.key] != nil || entries[item.key] != nil)
        guard item.record != nil, !isHere,
            case .leftover(_, let tag)? = moves.note(ZonedKey(zone: settings.zoneNumber, key: item.key))?.state
        else { return false }
        return tag == item.tag
    }

    /// The reason why a record is in this zone, while its object is in another one.
    func reason(for item: RemoteChange, from former: Int64) throws -> NewsFacts.Elsewhere {
        guard settings.followsMoves, let record = item.record, !moves.explained.contains(item.key),
            !settings.isOfOthers || isOfSameOwner(former)
        else { return .explained }
        let place = moves.note(ZonedKey(zone: former, key: item.key))
        if let gone = place?.gone, try explains(gone, record) { return .explained }
        // This device has made it, and is about to delete the object's record in the former zone.
        if let copy = place?.wanted?.copy, copy.zone == settings.zoneNumber, copy.tag == item.tag { return .ownCopy }
        return .unexplained
    }

    /// Parks a record of an object in another zone that nothing explains.
    mutating func parkSecond(_ item: RemoteChange) throws {
        guard let record = item.record, let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else {
            return
        }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        var since: Int64?
        var isTold = false
        if case .second(_, let known, let wasTold)? = moves.note(subject)?.state { (since, isTold) = (known, wasTold) }
        try keep(record, MoveNote.unexplainedReason(id))
        moves.change(
            subject,
            to: MoveNote(
                entityName: id.entityName, state: .second(name: item.name, since: since, isTold: isTold)))
    }

    /// Whether an object that is gone from its zone has come by this record.
    private func explains(_ gone: GoneRecord, _ record: WireRecord) throws -> Bool {
        try gone.to == settings.zone || journal.mayBeOfOwner(record, settings)
    }

    /// Notes a record that was read, of an object that is in this zone now.
    mutating func noteRead(_ item: RemoteChange, _ entity: ResolvedEntity) throws {
        guard settings.followsMoves else { return }
        if let former = elsewhere[item.key] { return try noteArrival(of: item.key, entity.name, from: former) }
        if !settings.isOfOthers, settings.model.isParent(entity.name), states[item.key] == nil, entries[item.key] == nil
        {
            moves.made.append((item.key, item.record?.created?.userRecordName))
        }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        switch moves.note(subject)?.state {
        case .gone(let gone):
            // It has come back. Its changes are held back no longer.
            if entries[item.key] != nil { result.hasUnsent = true }
            moves.change(subject, to: onward(gone.then, entity.name))
        case .second, .leftover: moves.change(subject, to: nil)
        case .wanted, .followsParent, nil: break
        }
    }

    /// The note of an object in this zone that is to go to another one.
    private func onward(_ zone: Int64?, _ entityName: String) -> MoveNote? {
        guard let zone, zone != settings.zoneNumber else { return nil }
        return MoveNote(entityName: entityName, state: .wanted(WantedMove(to: zone)))
    }

    /// Notes that an object has arrived in this zone from another one.
    mutating func noteArrival(of key: ObjectKey, _ entityName: String, from zone: Int64) throws {
        let former = ZonedKey(zone: zone, key: key), subject = ZonedKey(zone: settings.zoneNumber, key: key)
        moves.arrivals.append(key)
        // An edit made meanwhile has come along, and is sent from this zone.
        if entries[key] != nil { result.hasUnsent = true }
        let note = moves.note(former)
        if note?.gone == nil, let state = states[key], let tag = state.changeTag, !state.isOfNoRecord {
            // The former record is still there: the object was deleted here.
            moves.change(
                former, to: MoveNote(entityName: entityName, state: .leftover(name: state.recordName, tag: tag)))
        } else if note != nil {
            moves.change(former, to: nil)
        }
        let wish = note?.gone?.then ?? note?.wanted?.to
        if moves.note(subject) != nil || wish != nil { moves.change(subject, to: onward(wish, entityName)) }
    }

    /// Withdraws an arrival: the record could be read, but has to wait, so its object is not here yet.
    mutating func takeArrivalBack(of key: ObjectKey) {
        guard settings.followsMoves, let former = elsewhere[key] else { return }
        moves.takeBack(key, zones: [former, settings.zoneNumber])
    }

    /// Notes the end of a record in this zone, whose object is in another one.
    mutating func noteLeft(_ item: RemoteChange) throws {
        result.echoed += 1
        try dropParked(item)
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        if moves.note(subject) != nil { moves.change(subject, to: nil) }
        if let place = elsewhere[item.key] { loseCopy(item, ofObjectIn: place) }
    }

    /// Notes the end of the copy that an object was to become in this zone. If the copy has moved, another device has
    /// decided first where the object is.
    private mutating func loseCopy(_ item: RemoteChange, ofObjectIn place: Int64) {
        let subject = ZonedKey(zone: place, key: item.key)
        guard var note = moves.note(subject), var wanted = note.wanted, wanted.copy?.zone == settings.zoneNumber else {
            return
        }
        guard item.movedTo == nil else { return moves.change(subject, to: nil) }
        wanted.copy = nil
        note.state = .wanted(wanted)
        moves.change(subject, to: note)
    }

    /// Collects the parents of incoming rows, if their entity has a parent relationship.
    mutating func noteParents(in rows: RowBatch) {
        guard settings.followsMoves, !settings.isOfOthers, let column = rows.entity.parentColumn else { return }
        for row in 0..<rows.count where !rows.isNull(row, column.slot) {
            moves.parents.append((rows.objectID(at: row), rows.key(row, column.slot)))
        }
    }

    /// Whether another device has brought an object to this zone.
    func isMovedByOthers(_ key: ObjectKey) -> Bool {
        guard let former = elsewhere[key] else { return false }
        return moves.known.objects[ZonedKey(zone: former, key: key)]?.gone?.isOwnMove != true
    }

    /// The traces of pushes to the object's former zone.
    func tracesElsewhere(of key: ObjectKey) throws -> [PushTrace] {
        guard let zone = elsewhere[key], let journal = journal as? any ZoneScoped else { return [] }
        return try ZoneReader(journal.whole, zone).inFlightPushes()[key]
    }

    /// Inserts that the former zones of objects may have.
    func unansweredElsewhere() throws -> [ObjectKey: Int64] {
        guard !elsewhere.isEmpty, let journal = journal as? any ZoneScoped else { return [:] }
        var found: [ObjectKey: Int64] = [:]
        for (zone, keys) in Dictionary(grouping: elsewhere.keys, by: { elsewhere[$0] ?? 0 }) {
            let known = try ZoneReader(journal.whole, zone).unansweredInserts().sequences
            for key in keys { found[key] = known[key] }
        }
        return found
    }

    /// Whether another zone has the same owner as this one.
    func isOfSameOwner(_ zone: Int64) -> Bool {
        func owner(_ zone: Int64) -> Substring? {
            (try? journal.name(ofZone: zone))?.flatMap { $0.split(separator: "/").first }
        }
        guard settings.followsMoves, let here = owner(settings.zoneNumber) else { return false }
        return owner(zone) == here
    }

    /// Writes the collected notes to the journal.
    mutating func writeMoves() throws {
        guard settings.followsMoves else { return }
        try noteAstray()
        for (subject, note) in moves.changes.sorted(by: { $0.key < $1.key }) {
            try journal.setMove(of: subject, to: note)
        }
        // If one of an object's two records goes, the other may become the object.
        let deleted = result.changes.deleted.map(\.key)
        if try !moves.changes.isEmpty || MoveNotes(journal, of: deleted).hasSecond { result.mayMove = true }
        moves = NewsOfMoves()
    }

    /// Finds objects that are in another zone than their parents:
    ///
    /// - The parent has moved meanwhile.
    /// - Another device has given the object a parent in another zone.
    /// - The object was here before its parent, and was to follow it.
    private mutating func noteAstray() throws {
        let isIdle = moves.arrivals.isEmpty && moves.made.isEmpty && moves.parents.isEmpty
        guard !isIdle, try !journal.zones().isEmpty else { return }
        // A guest who makes an object takes nothing along into the shared zone.
        let come = try moves.arrivals + moves.made.filter { try journal.isOwn($0.user) }.map(\.key)
        let children = come.isEmpty ? [] : try journal.children(of: come, settings.model)
        let places = try journal.zones(of: children.map(\.key) + moves.parents.map(\.parent))
        var followsParent = children.map { (zone: places[$0.key] ?? 0, id: $0) }.filter {
            $0.zone != settings.zoneNumber
        }
        let away = moves.parents.filter { places[$0.parent] ?? 0 != settings.zoneNumber }
        if !away.isEmpty {
            // An unknown parent may still come into this zone.
            let keys = Array(Set(away.map(\.parent)))
            let (records, unsent) = (try journal.recordStates(for: keys), try journal.outbox(for: keys))
            followsParent += away.filter { records[$0.parent] != nil || unsent[$0.parent] != nil }.map {
                (settings.zoneNumber, $0.child)
            }
        }
        moves.know(try MoveNotes(journal, of: followsParent.map(\.id.key)))
        for (zone, id) in followsParent {
            let subject = ZonedKey(zone: zone, key: id.key)
            guard moves.note(subject) == nil else { continue }
            moves.change(subject, to: MoveNote(entityName: id.entityName, state: .followsParent))
        }
    }
}

extension RemoteChangeApplier {
    /// Weighs deletions of objects against records in other zones. The case: this device has deleted an object, and has
    /// found its record already gone. On a server that tells of no moves, the reason may be a move.
    ///
    /// 1. The push notes such deletions (`SyncNotes.deletedBefore`).
    /// 2. The cycle reads all zones for them.
    /// 3. Then the notes are removed (``MoveSettler``).
    ///
    /// Objects with identifying values are left out, and records of other users. Each of these may be a new object.
    mutating func weighDeletionsElsewhere(_ news: [RemoteChange]) throws {
        guard settings.followsMoves, settings.mayMove, !settings.reportsMoves else { return }
        guard try journal.hasNotes(of: .deletedBefore) else { return }
        let deleted = try journal.notes(.deletedBefore, of: news.map(\.key))
        guard !deleted.isEmpty else { return }
        let sequence = try journal.lastTransactionNumber()
        for item in news where deleted[item.key] != nil && states[item.key] == nil && entries[item.key] == nil {
            guard let record = item.record, try journal.isOwn(record.created?.userRecordName),
                let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) })?.entity,
                !entity.isIdentifiedByValues
            else { continue }
            let id = ObjectID(entityName: entity.name, key: item.key)
            let entry = OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence)
            let state = RecordState(objectID: id, foreignName: item.foreignName, changeTag: nil).ofNoRecord
            try journal.putOutbox([entry])
            try journal.putRecordStates([state])
            try journal.removeNote(.deletedBefore, of: item.key)
            (entries[item.key], states[item.key]) = (entry, state)
        }
    }
}

extension JournalReading {
    /// Whether a user is this store's own user. Also true if the user or the account is unknown.
    func isOwn(_ user: String?) throws -> Bool {
        guard let user, let account = try value(of: .account) else { return true }
        return user == account || user == WireStamp.callerName
    }

    /// Whether the zone's owner may have made a record. Only then may it be that of a moved object: the device that
    /// moves an object makes its record in the other zone.
    func mayBeOfOwner(_ record: WireRecord, _ settings: ApplySettings) throws -> Bool {
        let user = record.created?.userRecordName
        guard settings.isOfOthers else { return try isOwn(user) }
        // A zone of another user is named after its owner.
        guard let user, let owner = try name(ofZone: settings.zoneNumber)?.split(separator: "/").first else {
            return true
        }
        return user == owner
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
