import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Merges records of objects that have unsent changes.
    ///
    /// - Parameter gone: Receives the objects that were deleted, by entity.
    mutating func merge(_ news: [RemoteChange], gone: inout [[ObjectKey]]) throws {
        var pushes = try journal.inFlightPushes()
        let before = pushes
        var byEntity: [String: [RemoteChange]] = [:]
        for item in news {
            if let name = entries[item.key]?.objectID.entityName { byEntity[name, default: []].append(item) }
        }
        for (name, items) in byEntity.sorted(by: { $0.key < $1.key }) {
            guard let entity = settings.model.entity(named: name) else { continue }
            gone[entity.entity.index] += try merge(items, of: entity, pushes: &pushes)
        }
        if pushes != before { try journal.set(.inFlight, to: pushes) }
    }

    /// - Returns: The objects that were deleted.
    private mutating func merge(
        _ news: [RemoteChange], of entity: SyncedEntity, pushes: inout InFlightPushes
    ) throws -> [ObjectKey] {
        let local = try LocalImages(of: news.map(\.key), entity, from: journal)
        var writes = MergedWrites(entity: entity)
        for item in news {
            if let row = try merge(one: item, of: entity, local[item.key], pushes: &pushes) {
                writes.add(row, item, before: local[item.key])
            }
        }
        try write(writes, of: entity)
        try writeCopies(of: entity)
        return writes.deleted
    }

    /// Merges a record with the unsent change of its object, and records everything but the row.
    ///
    /// - Parameter mayWait: Whether it waits for the end of the pull if the object's unique values would belong to
    ///   another object.
    /// - Returns: The change of the row; nil when nothing is decided yet.
    mutating func merge(
        one item: RemoteChange, of entity: SyncedEntity, _ local: RecordImage?, pushes: inout InFlightPushes,
        mayWait: Bool = true
    ) throws -> RecordMerge.Outcome.Row? {
        guard let stored = entries[item.key] else { return nil }
        var entry = stored
        let push = conflicting[item.key]
        let isOwnDeletion = item.record == nil && ended.contains(item.key)
        // An insert that has met an unreadable record was answered: the deleted record was the object's.
        let hadObstacle = try item.record == nil && journal.hasNote(.takenKeys, of: item.name)
        let wasParked = try item.record == nil && dropParked(item, of: entity)
        // A record of another entity had the key. The insert is tried again.
        if hadObstacle, !wasParked { entry.unblock() }
        let mayHaveArrived =
            (push?.mayHaveArrived ?? (unanswered[item.key] != nil || wasParked)) && !isMadeElsewhere(item, entry)
            && !isOwnDeletion
        let traces = try push?.earlierTraces ?? (pushes[item.key] + tracesElsewhere(of: item.key))
        let side = RecordMerge.Local(
            entry: entry, image: local, mayHaveArrived: mayHaveArrived,
            arrivedSequence: push?.arrivedSequence ?? unanswered[item.key] ?? 0,
            // An object that moves to another zone was on the server in its old zone.
            wasOnServer: states[item.key]?.changeTag != nil || elsewhere[item.key] != nil, traces: traces)
        var merge = RecordMerge(objectID: entry.objectID, entity: entity.entity, resolver: settings.resolver)
        if settings.resolver.looksAtDates {
            merge.serverDate = item.record?.modificationDate
            merge.saveDates = try saveDates.dates(of: entry, in: journal)
        }
        guard let (outcome, decoded) = try outcome(of: merge, side, item, entity, local) else { return nil }
        guard !outcome.isUndecided else {
            noteUndecided(outcome, of: entry)
            noteUndecidedArrival(of: entry, outcome.entry ?? entry)
            return nil
        }
        if mayWait, case .write(let image) = outcome.row, try mustWait(image, item, entity) { return nil }
        if let record = item.record {
            notes.states.append(
                RecordState(
                    objectID: entry.objectID, foreignName: item.foreignName, changeTag: record.recordChangeTag,
                    unknownFields: decoded?.unknownFields))
        } else {
            noteMissingRecord(item, entry.objectID, isStillWanted: outcome.entry != nil)
        }
        pushes.remove([item.key])
        try note(outcome, of: stored, item)
        return outcome.row
    }

    /// Returns whether another device has created the record, if the server sends that. Then this device's insert has
    /// not arrived. Without that fact, a lost object counts as another device's, because several devices may have sent
    /// it again. The merge then considers both sides, and no value is lost.
    private func isMadeElsewhere(_ item: RemoteChange, _ entry: OutboxEntry) -> Bool {
        guard let record = item.record else { return false }
        guard let maker = record.created?.deviceID, maker != WireStamp.unnamedDevice, let own = settings.device else {
            return entry.kind == .insert && entry.firstSequence == 0
        }
        return maker != own
    }

    /// Returns the result of one record; nil if it cannot be read.
    private mutating func outcome(
        of merge: RecordMerge, _ side: RecordMerge.Local, _ item: RemoteChange, _ entity: SyncedEntity,
        _ local: RecordImage?
    ) throws -> (RecordMerge.Outcome, RecordDecoder.Decoded?)? {
        guard let record = item.record else { return (merge.mergeDeletion(side), nil) }
        let isDeleted = side.entry.kind == .delete
        let former = isDeleted ? try journal.note(.sealing, of: SealingSubject(item.key)) : nil
        guard let (_, decoded) = try decode(record, item) else { return nil }
        var side = side
        if isDeleted { side.rest = try rest(of: record, item, decoded, former, entity) }
        return (merge.merge(side, with: decoded.image(key: item.key, of: entity, keeping: local)), decoded)
    }

    /// Compares a record with its known state, except for its values.
    ///
    /// - Parameter former: The keys that it was encrypted with.
    private func rest(
        of record: WireRecord, _ item: RemoteChange, _ decoded: RecordDecoder.Decoded, _ former: RecordSealing?,
        _ entity: SyncedEntity
    ) throws -> RestOfRecord {
        var rest = RestOfRecord()
        // The deletion of an object that has left its zone now applies to the record in the new zone.
        let hasComeAlong = states[item.key]?.isOfNoRecord == true
        rest.isMoved = isMovedByOthers(item.key) || hasComeAlong
        rest.isUnderOtherKeys = former.map { $0.keyIDs != decoded.sealing.keyIDs } ?? false
        rest.isFromLaterHistory = settings.hashesAssets && item.isOfLaterHistory(than: states[item.key]?.changeTag)
        rest.hasOtherChanges = try OtherFields(of: record, entity, settings.ring)
            .differ(states[item.key]?.unknownFields, decoded.unknownFields)
        return rest
    }

    /// Leaves the old tag in place, because the conflict is undecided: the next push meets it again.
    private mutating func noteUndecided(_ outcome: RecordMerge.Outcome, of entry: OutboxEntry) {
        guard let left = outcome.entry, let reason = left.blockedReason else { return }
        if left != entry { notes.entries.append(left) }
        result.blocked.append(BlockedChange(objectID: entry.objectID, kind: entry.kind, reason: reason))
    }

    /// Records the arrival in this zone with the tag of the other zone: the next push meets the conflict again.
    private mutating func noteUndecidedArrival(of entry: OutboxEntry, _ left: OutboxEntry) {
        let known = states[entry.objectID.key]
        guard elsewhere[entry.objectID.key] != nil, known != nil || entry.kind == .delete else { return }
        let state = RecordState(objectID: entry.objectID, changeTag: known?.changeTag)
        notes.states.append(state.changeTag == nil && entry.kind == .delete ? state.ofNoRecord : state)
        if left == entry { notes.entries.append(left) }
    }

    private mutating func noteMissingRecord(_ item: RemoteChange, _ id: ObjectID, isStillWanted: Bool) {
        if isStillWanted, item.isForeign {
            // Only this name leads from the key back to the record.
            notes.states.append(RecordState(objectID: id, foreignName: item.name, changeTag: nil))
        } else {
            notes.goneStates.append(item.key)
        }
    }

    private mutating func note(
        _ outcome: RecordMerge.Outcome, of entry: OutboxEntry, _ item: RemoteChange
    ) throws {
        let copy = outcome.copy.map { noteCopy($0, of: entry.objectID) }
        for var conflict in outcome.conflicts {
            if conflict.winner == .both { conflict.copy = copy }
            conflict.localDate = try saveDates.date(of: entry.lastSave(of: conflict.keys), in: journal)
            conflict.serverDate = item.record?.modificationDate
            result.conflicts.append(conflict)
        }
        if let left = outcome.entry {
            if left != entry || elsewhere[entry.objectID.key] != nil { notes.entries.append(left) }
        } else {
            notes.goneEntries.append(entry.objectID.key)
        }
    }

    private mutating func write(_ writes: MergedWrites, of entity: SyncedEntity) throws {
        if !writes.deleted.isEmpty {
            try journal.delete(writes.deleted, of: entity.entity)
            result.changes.deleted += writes.deleted.map { ObjectID(entityName: entity.entity.name, key: $0) }
        }
        guard !writes.images.isEmpty else { return }
        var builder = RowBatchBuilder(entity: entity.entity, capacity: writes.images.count)
        for item in writes.images {
            builder.beginRow(key: item.news.key, version: 1)
            for value in item.image.values { builder.append(value) }
        }
        let rows = builder.finish()
        try journal.upsert(rows)
        noteParents(in: rows)
        for change in writes.links where !change.isEmpty { try journal.change(change) }
        for (row, item) in writes.images.enumerated() {
            let id = rows.objectID(at: row)
            if item.isNew { result.changes.inserted.append(id) } else { result.changes.updated.append(id) }
            if let record = item.news.record { try noteAssets(of: record, in: rows, at: row, entity) }
        }
    }
}

/// The rows and links that merges have changed.
private struct MergedWrites {
    var images: [(news: RemoteChange, image: RecordImage, isNew: Bool)] = []
    var deleted: [ObjectKey] = []
    var links: [LinkChange]

    init(entity: SyncedEntity) {
        links = entity.ownedLinks.map { LinkChange(entity: entity.entity, property: $0) }
    }

    mutating func add(_ row: RecordMerge.Outcome.Row, _ news: RemoteChange, before: RecordImage?) {
        switch row {
        case .keep: break
        case .delete: deleted.append(news.key)
        case .write(let image):
            images.append((news, image, before == nil))
            for index in links.indices {
                let slot = links[index].property.slot
                links[index].replace(before?.links[slot] ?? [], by: image.links[slot] ?? [], of: news.key)
            }
        }
    }
}

// Records whose keys objects of other entities have, see ``TakenKeys``.
extension RemoteChangeApplier {
    /// Ends the deletion of an object if its key belongs to a record of another entity now: the object's own record is
    /// gone, and the deletion is not for the other one.
    mutating func endReplaced(_ item: RemoteChange) throws {
        guard let entry = entries[item.key], entry.kind == .delete, elsewhere[item.key] == nil,
            let entity = item.entity(settings.model), entity.entity.name != entry.objectID.entityName
        else { return }
        try journal.removeOutbox([item.key])
        try journal.endRecords([item.key], settings.model)
        entries[item.key] = nil
        states[item.key] = nil
    }

    /// Forgets a parked record that is gone on the server.
    ///
    /// - Returns: Whether it was the record of an object of this entity.
    mutating func dropParked(_ item: RemoteChange, of entity: SyncedEntity) throws -> Bool {
        let record = try journal.note(.parked, of: item.name)?.record
        guard try dropParked(item) else { return false }
        let type = record?.recordType.flatMap { settings.model.entity(ofType: $0) }
        return type == nil || type?.entity === entity.entity
    }
}
