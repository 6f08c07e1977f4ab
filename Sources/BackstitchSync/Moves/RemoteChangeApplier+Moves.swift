import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Whether a record was left behind by an object that is in another zone here: nothing is in it any more, or its
    /// mark leads there. The latter is known once all zones were read (``MoveArrivals``): the mark may be that of an
    /// object which has come from there, and goes on or back at once.
    func isLeftBehind(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, let mark = item.mark, let place = elsewhere[item.key] else { return false }
        if mark.isDone || settings.isOfOthers && !isOfSameOwner(place) { return true }
        if case .leftBehind? = moves.known?.objects[ZonedKey(zone: settings.zoneNumber, key: item.key)]?.state {
            return true
        }
        return try moves.explained.contains(item.key)
            && journal.nameOnServer(ofZone: place, settings.names) == mark.zone
    }

    /// Takes down a record whose object has moved on, so that nothing is left in it, or is gone with the mark that it
    /// had: the object comes in another zone, or is gone from there.
    mutating func hasGone(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves else { return false }
        guard item.record != nil else {
            let subject = ZonedKey(zone: settings.zoneNumber, key: item.key), known = moves.known?.objects[subject]
            if settings.mayMove, !ended.contains(item.key), let note = known?.withoutMarkedRecord {
                moves.change(subject, to: note)
                // It may be there again by the time that the other zones were read.
                result.zonesBehind.insert(settings.zoneNumber)
                result.echoed += 1
                try dropParked(item)
                return true
            }
            switch known?.state {
            // Where it is made anew it is still to go there.
            case .wanted, .astray, nil: break
            case .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained:
                moves.change(subject, to: nil)
            }
            return false
        }
        guard let mark = item.mark, mark.isDone else { return false }
        if let state = states[item.key], state.changeTag != nil, state.recordName != item.name {
            // It has come back under another name.
            result.echoed += 1
            return true
        }
        guard let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else {
            // It was never here, or was deleted in the other zone since: an earlier version that waits brings nothing.
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

    /// Notes a record that was left behind here by an object that comes back: it is older than the object, and is
    /// deleted before that is sent. One that is still to be emptied may also be the object's own, which another device
    /// has brought here and has go on already: the news of the zone that it has left tell (``MoveArrivals``).
    mutating func isInTheWay(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, let mark = item.mark, let entry = entries[item.key],
            entry.kind != .delete, states[item.key]?.changeTag == nil, !isOfObject(item, mark, entry)
        else { return false }
        let id = entry.objectID
        var state = MoveNote.State.leftBehind(nil, name: item.name, tag: item.tag)
        try dropParked(item)
        if !mark.isDone, let record = item.record, moves.known?.isArriving(item.key) == true {
            try keep(record, "\(id) comes to this zone, and it is not known yet whether this is its record")
            state = .unexplained(name: item.name, isTold: false)
        }
        moves.change(
            ZonedKey(zone: settings.zoneNumber, key: item.key), to: MoveNote(entityName: id.entityName, state: state))
        return true
    }

    /// Whether a marked record is the object's that is here, though no answer has told so.
    private func isOfObject(_ item: RemoteChange, _ mark: MoveMark, _ entry: OutboxEntry) -> Bool {
        // The object has been here since, and has gone on.
        if moves.explained.contains(item.key) || moves.known?.isEmptied(item.key) == true { return true }
        let state = moves.known?.objects[ZonedKey(zone: settings.zoneNumber, key: item.key)]?.state
        if unanswered[item.key] != nil {
            // A new object that moved after a push without an answer has its mark from the next one.
            if entry.kind == .insert { return true }
            // So has one that came from another zone, and moved on; nothing is left in an earlier one by then.
            if !mark.isDone, case .wanted(to: mark.zone)? = state { return true }
        }
        guard !mark.isDone, entry.isMadeAnew, moves.known?.arriving().contains(item.key) != true else { return false }
        // An object that is to be sent again, since its zone was lost, and comes from nowhere: another device has made
        // the record anew, and moves it on.
        switch state {
        case .wanted, .astray, nil: return true
        case .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained: return false
        }
    }

    /// Takes down what an object has left here that was deleted since, in the zone to which it had moved: nobody has
    /// emptied it yet.
    mutating func isLeftByDeleted(_ item: RemoteChange) -> Bool {
        guard settings.followsMoves, let mark = item.mark, !mark.isDone, states[item.key] == nil,
            entries[item.key] == nil
        else { return false }
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        guard let note = moves.known?.objects[subject], case .leftBehind(let left?, _, _) = note.state,
            left.zone == mark.zone
        else { return false }
        moves.change(
            subject,
            to: MoveNote(entityName: note.entityName, state: .leftBehind(mark, name: item.name, tag: item.tag)))
        result.echoed += 1
        return true
    }

    /// Whether a deletion is that of a record which the object, on its way back, had left here before: another device
    /// that brings it too has cleared its way. The object itself has not arrived, as far as this device knows.
    mutating func endsFormerRecord(_ item: RemoteChange) throws -> Bool {
        guard settings.followsMoves, item.record == nil, let entry = entries[item.key], entry.kind != .delete,
            conflicting[item.key] == nil, states[item.key]?.changeTag == nil,
            unanswered[item.key] == nil || ended.contains(item.key),
            moves.known?.arriving().contains(item.key) == true
        else { return false }
        result.echoed += 1
        try dropParked(item)
        // Or it has arrived, and was deleted here: then others have emptied its former record.
        if !ended.contains(item.key), let behind = moves.known?.zonesLeft(by: [item.key]), !behind.isEmpty {
            result.zonesBehind.formUnion(behind)
            result.mayMove = true
        }
        return true
    }

    /// Notes the mark of a record, or that it has none.
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
            case .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained:
                moves.change(subject, to: nil)
            case .wanted, .astray, nil: break
            }
            return
        }
        var isOwn = false
        var since: Int64?
        switch state {
        case .wanted(let wanted):
            // One that goes on or comes back by itself goes there first: others may know of the mark by now.
            let onward = try journal.note(.onward, of: item.key)
            if wanted == nil, onward == nil { return }
            isOwn = wanted == mark.zone || onward?.through.contains(mark.zone) == true
        case .marked(_, _, _, let wasOwn, let known): (isOwn, since) = (wasOwn, known)
        case .leftBehind, .deletedBehind, .emptied, .homeless, .astray, .unexplained, nil: break
        }
        moves.change(
            subject,
            to: MoveNote(
                entityName: entity.name,
                state: .marked(mark, name: item.name, tag: item.tag, isOwn: isOwn, since: since)))
        moves.answered.insert(item.key)
    }

    /// An object that was in another zone is in this one.
    private mutating func noteArrival(of key: ObjectKey, from zone: Int64) throws {
        let former = ZonedKey(zone: zone, key: key)
        moves.arrivals.append(key)
        // An edit that was made meanwhile has come along, and is sent from here.
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
                    : MoveNote(entityName: note.entityName, state: .leftBehind(mark, name: name, tag: tag)))
        case .wanted, .astray:
            moves.change(former, to: nil)
            moves.answered.insert(key)
        case .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained: break
        }
    }

    /// An object that was deleted here has another record in this zone, against which its deletion is weighed. The one
    /// that was deleted goes, whatever comes of that.
    private mutating func leaveDeleted(_ former: ZonedKey, _ id: ObjectID) throws {
        let state = states[id.key], tag = state?.isOfNoRecord == true ? nil : state?.changeTag
        guard try tag != nil || mayHaveArrived(former) else { return moves.change(former, to: nil) }
        let name = state?.recordName ?? id.key.uuidString
        moves.change(former, to: MoveNote(entityName: id.entityName, state: .leftBehind(nil, name: name, tag: tag)))
    }

    /// Whether a push has gone without an answer by which an object came to a zone.
    private func mayHaveArrived(_ subject: ZonedKey) throws -> Bool {
        guard let journal = journal as? any ZoneScoped else { return false }
        return try ZoneReader(journal.whole, subject.zone).unansweredInserts().sequences[subject.key] != nil
    }

    /// A record has turned out to wait although it could be read: its object is not here yet.
    mutating func takeArrivalBack(of key: ObjectKey) {
        guard settings.followsMoves, let former = elsewhere[key] else { return }
        moves.takeBack(key, zones: [former, settings.zoneNumber])
    }

    /// A record is gone, or goes, whose object is in another zone.
    mutating func noteLeft(_ item: RemoteChange) throws {
        try dropParked(item)
        try noteReturn(of: item)
        let subject = ZonedKey(zone: settings.zoneNumber, key: item.key)
        guard let mark = item.mark, !mark.isDone else {
            guard let known = moves.known?.objects[subject] else { return }
            if case .unexplained = known.state, entries[item.key]?.kind == .delete {
                // The deletion that is kept back for it goes with the next look at moves.
                result.mayMove = true
                return
            }
            return moves.change(subject, to: settings.mayMove ? left(by: known, item) : nil)
        }
        // The device that was to empty it may be gone.
        guard let id = states[item.key]?.objectID ?? entries[item.key]?.objectID else { return }
        moves.change(
            subject,
            to: MoveNote(
                entityName: id.entityName,
                state: .leftBehind(mark, name: item.name, tag: item.tag)))
    }

    /// An object has left this zone for the one in which it is here, and of which is known that it had left that
    /// before: it has come back there, and the news of that are still to be read.
    private mutating func noteReturn(of item: RemoteChange) throws {
        guard let mark = item.mark, mark.isDone, let place = elsewhere[item.key],
            case .marked(let left, _, _, _, _)? = moves.known?.objects[ZonedKey(zone: place, key: item.key)]?.state,
            try left.isDone && journal.nameOnServer(ofZone: place, settings.names) == mark.zone
        else { return }
        result.zonesBehind.insert(place)
        result.mayMove = true
    }

    /// The note of an object that has left a record here, after that was deleted or emptied.
    private func left(by known: MoveNote, _ item: RemoteChange) -> MoveNote? {
        guard let mark = item.mark else { return known.withoutRecord(isTold: true) }
        // Only a device that has brought the object to its zone empties the record: it was there.
        guard case .leftBehind(.some, _, _) = known.state, states[item.key]?.changeTag == nil,
            let entry = entries[item.key], entry.kind != .delete, !entry.isMadeAnew
        else { return nil }
        return MoveNote(entityName: known.entityName, state: .emptied(mark))
    }

    /// Takes down the parents of rows that have come, where an entity has them.
    mutating func noteParents(in rows: RowBatch) {
        guard settings.followsMoves, !settings.isOfOthers, let column = rows.entity.parentColumn else { return }
        for row in 0..<rows.count where !rows.isNull(row, column.slot) {
            moves.parents.append((rows.objectID(at: row), rows.key(row, column.slot)))
        }
    }

    /// The traces of pushes to the zone in which the object was before.
    func tracesElsewhere(of key: ObjectKey) throws -> [PushTrace] {
        guard let zone = elsewhere[key], let journal = journal as? any ZoneScoped else { return [] }
        return try ZoneReader(journal.whole, zone).inFlightPushes()[key]
    }

    /// Whether another zone is the same user's as this one.
    func isOfSameOwner(_ zone: Int64) -> Bool {
        func owner(_ zone: Int64) -> Substring? {
            (try? journal.name(ofZone: zone))?.flatMap { $0.split(separator: "/").first }
        }
        guard settings.followsMoves, let here = owner(settings.zoneNumber) else { return false }
        return owner(zone) == here
    }

    /// Writes what was noted.
    mutating func writeMoves() throws {
        guard settings.followsMoves else { return }
        try noteAstray()
        for (subject, note) in moves.changes.sorted(by: { $0.key.noteName < $1.key.noteName }) {
            try journal.setNote(.moves, of: subject, to: note)
        }
        try takeForeignMarksBack()
        // Where one of two records of an object goes, the other may be it.
        let mayUncover = !result.changes.deleted.isEmpty && moves.known?.hasUnexplained ?? false
        if !moves.changes.isEmpty || mayUncover { result.mayMove = true }
        moves = NewsOfMoves()
    }

    /// Finds objects that are in another zone than their parents, because those have moved meanwhile, or others have
    /// given them parents that had; also those that were here before their parents, which were to follow them.
    private mutating func noteAstray() throws {
        let isIdle = moves.arrivals.isEmpty && moves.made.isEmpty && moves.parents.isEmpty
        guard !isIdle, try !journal.zones().isEmpty else { return }
        // A guest who makes an object takes nothing along into the zone that is shared.
        let come = try moves.arrivals + moves.made.filter { try journal.isOwn($0.user) }.map(\.key)
        let children = come.isEmpty ? [] : try journal.children(of: come, settings.model)
        let places = try journal.zones(of: children.map(\.key) + moves.parents.map(\.parent))
        var astray = children.map { (zone: places[$0.key] ?? 0, id: $0) }.filter { $0.zone != settings.zoneNumber }
        let away = moves.parents.filter { places[$0.parent] ?? 0 != settings.zoneNumber }
        if !away.isEmpty {
            // A parent that is not known may come into this zone yet.
            let keys = Array(Set(away.map(\.parent)))
            let (records, unsent) = (try journal.recordStates(for: keys), try journal.outbox(for: keys))
            astray += away.filter { records[$0.parent] != nil || unsent[$0.parent] != nil }.map {
                (settings.zoneNumber, $0.child)
            }
        }
        for (zone, id) in astray {
            let subject = ZonedKey(zone: zone, key: id.key)
            guard moves.known?.objects[subject] == nil, moves.changes[subject] == nil else { continue }
            moves.change(subject, to: MoveNote(entityName: id.entityName, state: .astray))
        }
    }
}
