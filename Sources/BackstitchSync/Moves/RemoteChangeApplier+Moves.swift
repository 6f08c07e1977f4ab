import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Whether a record was left behind by an object that is now in another zone. These records are left behind:
    ///
    /// - An emptied record.
    /// - Any marked record in another user's zone, if the object's zone has a different owner.
    /// - A record whose mark leads to the object's zone. This is certain only after all zones were read
    ///   (``MoveArrivals``): the object may have come from the mark's zone, and move on or back at once.
    func isLeftBehind(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, let mark = item.mark, let place = elsewhere[item.key] else { return false }
        if mark.isDone || settings.isOfOthers && !isOfSameOwner(place) { return true }
        if case .formerRecord? = moves.known?.objects[ZonedKey(zone: settings.zoneNumber, key: item.key)]?.state {
            return true
        }
        return try moves.explained.contains(item.key)
            && journal.nameOnServer(ofZone: place, settings.names) == mark.zone
    }

    /// Notes a record whose object has moved on. The record was emptied, or it was deleted while it had a mark. The
    /// object appears in another zone, or is gone from there too.
    ///
    /// - Returns: Whether nothing more is to be done about the record.
    mutating func hasGone(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves else { return false }
        guard item.record != nil else {
            let subject = ZonedKey(zone: settings.zoneNumber, key: item.key), known = moves.known?.objects[subject]
            if settings.mayMove, !ended.contains(item.key), let note = known?.withoutMarkedRecord {
                moves.change(subject, to: note)
                // The object may have come back before the other zones are read.
                result.zonesBehind.insert(settings.zoneNumber)
                result.echoed += 1
                try dropParked(item)
                return true
            }
            switch known?.state {
            // If the object is made anew, it still has to move.
            case .wanted, .followsParent, nil: break
            case .marked, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained:
                moves.change(subject, to: nil)
            }
            return false
        }
        guard let mark = item.mark, mark.isDone else { return false }
        if let state = states[item.key], state.changeTag != nil, state.recordName != item.name {
            // The object has come back under another record name.
            result.echoed += 1
            return true
        }
        guard let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else {
            // The object was never here, or was deleted in the other zone since. A parked earlier version is of no use.
            try dropParked(item)
            result.echoed += 1
            return true
        }
        moves.change(
            ZonedKey(zone: settings.zoneNumber, key: item.key),
            to: MoveNote(
                entityName: id.entityName,
                state: .marked(
                    mark, name: item.name, tag: item.tag, isOwn: false, since: nil)))
        if let entry = entries[item.key], entry.marksMove {
            moves.answered.insert(item.key)
            if let left = moves.unmarked(entry) {
                notes.entries.append(left)
            } else {
                notes.goneEntries.append(item.key)
            }
        }
        return true
    }

    /// Notes an old record in the way of an object that has come back. The record is older than the object, and is
    /// deleted before the object is sent. As long as it is not emptied, it may also be the object's own: another device
    /// may have brought it here and moved it on. The changes of its former zone tell (``MoveArrivals``).
    ///
    /// - Returns: Whether such a record was noted.
    mutating func isInTheWay(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, let mark = item.mark, let entry = entries[item.key],
            entry.kind != .delete, states[item.key]?.changeTag == nil, !isOfObject(item, mark, entry)
        else { return false }
        let id = entry.objectID
        var state = MoveNote.State.formerRecord(nil, name: item.name, tag: item.tag)
        try dropParked(item)
        if !mark.isDone, let record = item.record, moves.known?.isArriving(item.key) == true {
            try keep(record, "\(id) comes to this zone, and it is not known yet whether this is its record")
            state = .unexplained(name: item.name, isTold: false)
        }
        moves.change(
            ZonedKey(zone: settings.zoneNumber, key: item.key), to: MoveNote(entityName: id.entityName, state: state))
        return true
    }

    /// Whether a marked record belongs to the object here, although no answer has said so.
    private func isOfObject(_ item: RemoteChange, _ mark: MoveMark, _ entry: OutboxEntry) -> Bool {
        // The object was here meanwhile, and has moved on.
        if moves.explained.contains(item.key) || moves.known?.isEmptied(item.key) == true { return true }
        let state = moves.known?.objects[ZonedKey(zone: settings.zoneNumber, key: item.key)]?.state
        if unanswered[item.key] != nil {
            // A new object that moved after an unanswered push got its mark from the next push.
            if entry.kind == .insert { return true }
            // So did an object that came from another zone and moved on. By then an earlier record here is empty.
            if !mark.isDone, case .wanted(to: mark.zone)? = state { return true }
        }
        guard !mark.isDone, entry.isMadeAnew, moves.known?.arriving().contains(item.key) != true else { return false }
        // The object is sent again because its zone was lost, and it comes from no other zone. Another device has made
        // the record anew, and moves the object on.
        switch state {
        case .wanted, .followsParent, nil: return true
        case .marked, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained: return false
        }
    }

    /// Notes a marked record whose object was later deleted in its new zone. No device has emptied the record yet.
    mutating func isLeftByDeleted(_ item: RemoteChange) -> Bool {
        guard settings.followsMoves, let mark = item.mark, !mark.isDone, states[item.key] == nil,
            entries[item.key] == nil
        else { return false }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        guard let note = moves.known?.objects[subject], case .formerRecord(let left?, _, _) = note.state,
            left.zone == mark.zone
        else { return false }
        moves.change(
            subject,
            to: MoveNote(entityName: note.entityName, state: .formerRecord(mark, name: item.name, tag: item.tag)))
        result.echoed += 1
        return true
    }

    /// Whether a deletion only removes the former record of a returning object. Another device brings the object too,
    /// and has cleared the way. As far as this device knows, the object itself has not arrived.
    mutating func endsFormerRecord(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, item.record == nil, let entry = entries[item.key], entry.kind != .delete,
            conflicting[item.key] == nil, states[item.key]?.changeTag == nil,
            unanswered[item.key] == nil || ended.contains(item.key),
            moves.known?.arriving().contains(item.key) == true
        else { return false }
        result.echoed += 1
        try dropParked(item)
        // Or the object has arrived and was deleted here. Other devices have then emptied its former record.
        if !ended.contains(item.key), let behind = moves.known?.zonesLeft(by: [item.key]), !behind.isEmpty {
            result.zonesBehind.formUnion(behind)
            result.mayMove = true
        }
        return true
    }

    /// Notes the mark of a record, or its absence.
    mutating func noteMark(of item: RemoteChange, _ entity: ResolvedEntity) throws {
        guard settings.followsMoves else { return }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        let state = moves.known?.objects[subject]?.state
        if let former = elsewhere[item.key] { try noteArrival(of: item.key, from: former) }
        if !settings.isOfOthers, settings.model.isParent(entity.name), states[item.key] == nil, entries[item.key] == nil
        {
            moves.made.append((item.key, item.record?.created?.userRecordName))
        }
        guard let mark = item.mark else {
            switch state {
            case .marked, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained:
                moves.change(subject, to: nil)
            case .wanted, .followsParent, nil: break
            }
            return
        }
        var isOwn = false
        var since: Int64?
        switch state {
        case .wanted(let wanted):
            // An object with a further move first goes to the zone of this mark: other devices may know of the mark by
            // now.
            let onward = try journal.note(.onward, of: item.key)
            if wanted == nil, onward == nil { return }
            isOwn = wanted == mark.zone || onward?.through.contains(mark.zone) == true
        case .marked(_, _, _, let wasOwn, let known): (isOwn, since) = (wasOwn, known)
        case .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .followsParent, .unexplained, nil: break
        }
        moves.change(
            subject,
            to: MoveNote(
                entityName: entity.name,
                state: .marked(mark, name: item.name, tag: item.tag, isOwn: isOwn, since: since)))
        moves.answered.insert(item.key)
    }

    /// Notes that an object has arrived in this zone from another one.
    private mutating func noteArrival(of key: ObjectKey, from zone: Int64) throws {
        let former = ZonedKey(zone: zone, key: key)
        moves.arrivals.append(key)
        // An edit made meanwhile has come along, and is sent from this zone.
        if entries[key] != nil { result.hasUnsent = true }
        let known = moves.known?.objects[former]
        if let entry = entries[key], entry.kind == .delete, known?.leads(to: nil) != true {
            return try leaveDeleted(former, entry.objectID)
        }
        guard let note = known else { return }
        switch note.state {
        case .marked(let mark, let name, let tag, _, _):
            moves.change(
                former,
                to: mark.isDone
                    ? nil
                    : MoveNote(entityName: note.entityName, state: .formerRecord(mark, name: name, tag: tag)))
        case .wanted, .followsParent:
            moves.change(former, to: nil)
            moves.answered.insert(key)
        case .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained: break
        }
    }

    /// Settles an object that was deleted here, but has another record in this zone. The deletion is weighed against
    /// the other record. The deleted record goes in any case.
    private mutating func leaveDeleted(_ former: ZonedKey, _ id: ObjectID) throws {
        let state = states[id.key], tag = state?.isOfNoRecord == true ? nil : state?.changeTag
        guard try tag != nil || mayHaveArrived(former) else { return moves.change(former, to: nil) }
        let name = state?.recordName ?? id.key.uuidString
        moves.change(former, to: MoveNote(entityName: id.entityName, state: .formerRecord(nil, name: name, tag: tag)))
    }

    /// Whether an unanswered push may have brought the object to a zone.
    private func mayHaveArrived(_ subject: ZonedKey) throws -> Bool {
        guard let journal = journal as? any ZoneScoped else { return false }
        return try ZoneReader(journal.whole, subject.zone).unansweredInserts().sequences[subject.key] != nil
    }

    /// Withdraws an arrival: the record could be read, but has to wait, so its object is not here yet.
    mutating func takeArrivalBack(of key: ObjectKey) {
        guard settings.followsMoves, let former = elsewhere[key] else { return }
        moves.takeBack(key, zones: [former, settings.zoneNumber])
    }

    /// Settles the end of a record, if its object is in another zone.
    mutating func noteLeft(_ item: RemoteChange) throws {
        try dropParked(item)
        try noteReturn(of: item)
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        guard let mark = item.mark, !mark.isDone else {
            guard let known = moves.known?.objects[subject] else { return }
            if case .unexplained = known.state, entries[item.key]?.kind == .delete {
                // The deletion that is held back for this record is sent after the next pass over the moves.
                result.mayMove = true
                return
            }
            return moves.change(subject, to: settings.mayMove ? left(by: known, item) : nil)
        }
        // The device that was to empty the record may be gone.
        guard let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else { return }
        moves.change(
            subject,
            to: MoveNote(
                entityName: id.entityName,
                state: .formerRecord(mark, name: item.name, tag: item.tag)))
    }

    /// Notes that news of the object's present zone is missing. The object has just left this zone to go there. But it
    /// is known to have left its present zone before. So it has come back, and the news of its return is still to be
    /// read.
    private mutating func noteReturn(of item: RemoteChange) throws {
        guard let mark = item.mark, mark.isDone, let place = elsewhere[item.key],
            case .marked(let left, _, _, _, _)? = moves.known?.objects[ZonedKey(zone: place, key: item.key)]?.state,
            try left.isDone && journal.nameOnServer(ofZone: place, settings.names) == mark.zone
        else { return }
        result.zonesBehind.insert(place)
        result.mayMove = true
    }

    /// The note of an object's former record here, after the record was deleted or emptied.
    private func left(by known: MoveNote, _ item: RemoteChange) -> MoveNote? {
        guard let mark = item.mark else { return known.withoutRecord(isTold: true) }
        // A device empties the record only after it has brought the object to its zone. So the object was there.
        guard case .formerRecord(.some, _, _) = known.state, states[item.key]?.changeTag == nil,
            let entry = entries[item.key], entry.kind != .delete, !entry.isMadeAnew
        else { return nil }
        return MoveNote(entityName: known.entityName, state: .emptied(mark))
    }

    /// Collects the parents of incoming rows, if their entity has a parent relationship.
    mutating func noteParents(in rows: RowBatch) {
        guard settings.followsMoves, !settings.isOfOthers, let column = rows.entity.parentColumn else { return }
        for row in 0..<rows.count where !rows.isNull(row, column.slot) {
            moves.parents.append((rows.objectID(at: row), rows.key(row, column.slot)))
        }
    }

    /// The traces of pushes to the object's former zone.
    func tracesElsewhere(of key: ObjectKey) throws -> [PushTrace] {
        guard let zone = elsewhere[key], let journal = journal as? any ZoneScoped else { return [] }
        return try ZoneReader(journal.whole, zone).inFlightPushes()[key]
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
        for (subject, note) in moves.changes.sorted(by: { $0.key.noteName < $1.key.noteName }) {
            try journal.setNote(.moves, of: subject, to: note)
        }
        try takeForeignMarksBack()
        // If one of an object's two records goes, the other may become the object.
        let mayUncover = !result.changes.deleted.isEmpty && moves.known?.hasUnexplained ?? false
        if !moves.changes.isEmpty || mayUncover { result.mayMove = true }
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
        for (zone, id) in followsParent {
            let subject = ZonedKey(zone: zone, key: id.key)
            guard moves.known?.objects[subject] == nil, moves.changes[subject] == nil else { continue }
            moves.change(subject, to: MoveNote(entityName: id.entityName, state: .followsParent))
        }
    }
}
