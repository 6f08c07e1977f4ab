import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Goes on with objects on their way from one zone to another.
    func settleMoves() async throws -> SettledMoves {
        try await fetchMovingAssets()
        try await takeStoreAsItIs()
        let stripped = try await stripLeftBehind()
        let emptied = try await settleEmptied()
        // Last, so that nothing that it has changed goes untold.
        var settled = try await settleNotes(freed: stripped.freed.union(emptied?.unsent ?? []))
        if let emptied { settled.applied.add(emptied.applied) }
        if !stripped.isDone || emptied == nil { settled.hasMore = true }
        return settled
    }

    /// - Parameter freed: Zones in which nothing is in the way any more of objects that are to be sent.
    private func settleNotes(freed: Set<Int64>) async throws -> SettledMoves {
        let names = try await takeStoreAsItIs()
        let zones = [0: self].merging(names.map { ($0, services(of: $0, named: $1)) }) { $1 }
        let numbers = Dictionary(zones.map { ($1.client.zone.zoneName, $0) }, uniquingKeysWith: min)
        let hasMainZone = client.options.database.hasMainZone
        let outcome = try await resolving { main in
            let settings = zones.mapValues { $0.settings.deciding(as: main) }
            return try await onWholeStore { store in
                let outcome = try main.generation.write(to: store) { journal in
                    var settler = MoveSettler(
                        settings: settings, numbers: numbers, mayMove: main.mayMove, hasMainZone: hasMainZone,
                        now: clock.milliseconds(),
                        isOver: { reading.isOver(inZone: $0, hasMainZone: hasMainZone) },
                        isBehind: { reading.isBehind(inZone: $0, hasMainZone: hasMainZone) })
                    return try settler.settle(in: journal)
                }
                announce(outcome.applied.changes)
                return outcome
            }
        }
        bell.ring()
        var settled = SettledMoves()
        settled.applied = outcome.applied
        settled.hasMore = outcome.applied.mayMove
        (settled.needsReading, settled.wait) = (outcome.needsReading, outcome.wait)
        let unsent = outcome.unsent.union(freed)
        settled.zones = try await onWholeStore { store in
            try store.readJournal { journal in
                let known = try journal.zoneStates()
                return try unsent.sorted().filter { try $0 == 0 || journal.name(ofZone: $0) != nil }.map { zone in
                    zone == 0 ? .mainWithUnsent : ZoneWork(of: zone, known[zone] ?? [], hasUnsent: true)
                }
            }
        }
        return settled
    }

    /// Goes on from what the store is by now, as nothing is under way: a zone may have been dropped since it was read.
    ///
    /// - Returns: The zones beside the main one.
    @discardableResult
    func takeStoreAsItIs() async throws -> [Int64: String] {
        let (names, isMoved) = try await onWholeStore { [settings] store in
            try settings.generation.begin(in: store) { try $0.zones() }
        }
        if isMoved {
            sweep.end()
            further.endSweeps()
        }
        return names
    }

    /// Gets the bytes of assets that a record in the other zone will need, as long as the marked one has them.
    private func fetchMovingAssets() async throws {
        guard settings.mayMove, settings.model.heldEntities.contains(where: { !$0.assetColumns.isEmpty }) else {
            return
        }
        let missing = try await onWholeStore { [settings] store in
            try store.readJournal { try $0.assetsOfMoves(settings) }
        }
        for asset in missing {
            do {
                try await download(asset.reference, of: asset.objectID, key: asset.key, asset.recordName, nil)
            } catch let failure as SyncFailure where !failure.isOfOneAsset {
                throw failure
            } catch is BackstitchError {
                // Among these is a transfer that the program lets rest.
                // It waits, and is told among the missing assets; other moves go on.
                continue
            } catch is SyncFailure {
                continue
            }
        }
    }

    /// Takes everything from marked records whose objects the server has in their new zones, and deletes those that
    /// stand in the way of one that has come back.
    ///
    /// - Returns: Whether none of them is left that can go, and the zones in which some were in the way.
    private func stripLeftBehind() async throws -> (isDone: Bool, freed: Set<Int64>) {
        guard !client.options.isReadOnly else { return (true, []) }
        // In a zone of somebody else that is in the way only which this user's own edit is to replace.
        let due = try await onWholeStore { [settings] store in
            try store.readJournal { try $0.leftBehind().filter { settings.mayMove || $0.mark == nil } }
        }
        // After a power cut the store must still know what it has met: else the deletion of a record that was in the
        // way would be taken for that of the object.
        if !due.isEmpty { try await onWholeStore { try $0.makeDurable() } }
        var isDone = true
        var freed: Set<Int64> = []
        for (zone, records) in Dictionary(grouping: due, by: \.subject.zone).sorted(by: { $0.key < $1.key }) {
            guard let services = try await services(of: zone) else { continue }
            for part in records.parts(of: min(client.limits.operations, 200)) {
                if try await !services.strip(Array(part)) { isDone = false }
                if part.contains(where: { $0.mark == nil }) { freed.insert(zone) }
            }
        }
        return (isDone, freed)
    }

    /// - Returns: Whether none of them is left.
    private func strip(_ records: [LeftBehind]) async throws -> Bool {
        let token = try await onStore { try $0.readJournal { try $0.value(of: .token) } }
        let batch = PushBatch(
            items: records.map { record in
                PushItem(
                    entry: OutboxEntry(objectID: record.objectID, kind: .delete, sequence: 0, firstSequence: 0),
                    operation: record.operation(settings.model))
            }, idempotencyKey: nil, token: token)
        let reply: PushReply
        do { reply = try await sendUnmoved(batch) } catch let failure as SyncFailure
            where failure.kind == .batchRefused && records.count > 1
        {
            // A server may take fewer at once than it says.
            let half = records.count / 2
            let isDone = try await strip(Array(records.prefix(half)))
            return try await strip(Array(records.dropFirst(half))) && isDone
        } catch let failure as SyncFailure
            where failure.kind == .zoneNotFound || failure.kind == .tokenRefused
        {
            // The next pull of the zone finds out what has become of it.
            return true
        }
        return try await onWholeStore { [settings, reading] store in
            let (isDone, isMissing) = try settings.generation.write(to: store, isStep: false) { journal in
                let zone = ZoneWriter(journal, settings.zoneNumber)
                var isDone = true, isMissing = false
                for (record, answer) in zip(records, reply.answers) {
                    switch answer {
                    case .conflict(nil) where record.mark != nil:
                        // The feed is still to tell of its deletion.
                        try journal.setNote(.moves, of: record.subject, to: record.note.withoutRecord(isTold: false))
                        isMissing = true
                    case .done, .conflict(nil):
                        try journal.removeNote(.moves, of: record.subject)
                        // The feed will tell of that deletion, and not of the object that comes in its place.
                        if record.mark == nil { try zone.noteEnded([record.subject.key]) }
                    case .conflict(let other?):
                        guard let theirs = other.mark, !theirs.isDone else {
                            // It is no marked record any more, or nothing is left of it.
                            try journal.removeNote(.moves, of: record.subject)
                            continue
                        }
                        // Another device takes the object from here to where it is, and has marked it since.
                        let place = try journal.zones(of: [record.subject.key])[record.subject.key] ?? 0
                        let isTheirs = try journal.nameOnServer(ofZone: place, settings.names) == theirs.zone
                        try journal.setNote(
                            .moves, of: record.subject,
                            to: MoveNote(
                                entityName: record.objectID.entityName,
                                state: .leftBehind(
                                    record.mark ?? (isTheirs ? theirs : nil), name: record.name,
                                    tag: other.recordChangeTag)))
                        isDone = false
                    case .untouched: isDone = false
                    case .refused, .held, .unauthorized, .denied, .later, .parentless: break
                    }
                }
                return (isDone, isMissing)
            }
            if isMissing { reading.lacksNews(ofZone: settings.zoneNumber) }
            return isDone
        }
    }
}

extension SyncFailure {
    /// Whether other assets may be had all the same. A zone that is gone is noticed by its own next pull.
    fileprivate var isOfOneAsset: Bool { kind == .permanent || kind == .zoneNotFound || kind == .tokenRefused }
}

/// A marked record whose object is in another zone.
private struct LeftBehind: Sendable {
    let subject: ZonedKey
    let objectID: ObjectID
    let mark: MoveMark?
    let name: String
    let tag: String?

    var note: MoveNote { MoveNote(entityName: objectID.entityName, state: .leftBehind(mark, name: name, tag: tag)) }

    /// Leaves nothing of the record but that its object has moved; deletes one that has no mark.
    func operation(_ model: SyncedModel) -> RecordOperation {
        var record = WireRecord(recordName: name, recordChangeTag: tag)
        guard let mark, let entity = model.entity(named: objectID.entityName) else {
            return RecordOperation(tag == nil ? .forceDelete : .delete, record)
        }
        record.recordType = entity.wireName
        record.fields = [MoveMark.field: .string(MoveMark(mark.zone, isDone: true).text)]
        return RecordOperation(tag == nil ? .forceReplace : .replace, record)
    }
}

extension JournalReading {
    /// The marked records of which nothing need be left: the server has their objects in their new zones, or they
    /// stand in the way of one that has come back.
    fileprivate func leftBehind() throws -> [LeftBehind] {
        var records: [LeftBehind] = []
        for (subject, note) in try notes(.moves) {
            guard case .leftBehind(let mark, let name, let tag) = note.state else { continue }
            let id = ObjectID(entityName: note.entityName, key: subject.key)
            records.append(LeftBehind(subject: subject, objectID: id, mark: mark, name: name, tag: tag))
        }
        let keys = records.map(\.subject.key)
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        let places = try zones(of: keys)
        return records.filter { record in
            let key = record.subject.key
            return states[key]?.changeTag != nil || entries[key] == nil || places[key] ?? 0 == record.subject.zone
        }
    }

    /// The assets that are not here of objects that this device brings to another zone.
    fileprivate func assetsOfMoves(_ settings: ApplySettings) throws -> [WantedAsset] {
        var missing: [WantedAsset] = []
        let pauses = try TransferPauses(in: self)
        for (subject, note) in try notes(.moves) {
            guard case .marked(let mark, let name, _, _, _) = note.state, !mark.isDone,
                let entity = settings.model.entity(named: note.entityName), !entity.assetColumns.isEmpty
            else { continue }
            let rows = try rows(of: entity.entity, keys: [subject.key])
            guard rows.count == 1 else { continue }
            for column in entity.assetColumns {
                guard case .asset(let reference) = rows.value(0, column.slot), !settings.assets.contains(reference),
                    !pauses.hold(AssetPlace(key: subject.key, attribute: column.name))
                else { continue }
                missing.append(
                    WantedAsset(
                        objectID: rows.objectID(at: 0), key: column.name, recordName: name, reference: reference,
                        downloadURL: nil))
            }
        }
        return missing
    }
}
