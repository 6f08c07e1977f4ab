import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Carries on the moves of objects from one zone to another.
    func settleMoves() async throws -> SettledMoves {
        try await fetchMovingAssets()
        try await takeStoreAsItIs()
        let stripped = try await stripLeftBehind()
        let emptied = try await settleEmptied()
        // This is last: the failure of a later step would hide its changes.
        var settled = try await settleNotes(freed: stripped.freed.union(emptied?.unsent ?? []))
        if let emptied { settled.applied.add(emptied.applied) }
        if !stripped.isDone || emptied == nil { settled.hasMore = true }
        return settled
    }

    /// Settles the notes of all moves.
    ///
    /// - Parameter freed: Zones whose unsent objects no longer have an old record in their way.
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

    /// Begins again with the store's present state, while nothing is under way. A zone may have been dropped since it
    /// was read.
    ///
    /// - Returns: The names of the further zones, by number.
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

    /// Downloads the assets needed by the record in the target zone, while the marked record still has them.
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
                // Among these errors is a transfer paused by the program. The object waits, and is told among the
                // missing assets; other moves go on.
                continue
            } catch is SyncFailure {
                continue
            }
        }
    }

    /// Empties marked records whose objects the server has in the new zones. Deletes old records that are in the way of
    /// returning objects.
    ///
    /// - Returns: Whether everything possible now is done, and the zones with deleted records.
    private func stripLeftBehind() async throws -> (isDone: Bool, freed: Set<Int64>) {
        guard !client.options.isReadOnly else { return (true, []) }
        // In another user's zone, a record is in the way only if this user's own edit is to replace it.
        let due = try await onWholeStore { [settings] store in
            try store.readJournal { try $0.formerRecord().filter { settings.mayMove || $0.mark == nil } }
        }
        // After a power cut the store must still know these records. Otherwise the deletion of a record in the way
        // would be taken for a deletion of the object.
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

    /// Empties or deletes some records.
    ///
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
            // A server may accept fewer at once than it says.
            let half = records.count / 2
            let isDone = try await strip(Array(records.prefix(half)))
            return try await strip(Array(records.dropFirst(half))) && isDone
        } catch let failure as SyncFailure
            where failure.kind == .zoneNotFound || failure.kind == .tokenRefused
        {
            // The next pull of the zone finds out about it.
            return true
        }
        return try await onWholeStore { [settings, reading] store in
            let (isDone, isMissing) = try settings.generation.write(to: store, isStep: false) { journal in
                try Self.settle(records, reply.answers, in: journal, settings)
            }
            if isMissing { reading.lacksNews(ofZone: settings.zoneNumber) }
            return isDone
        }
    }

    /// Writes the answers to emptied or deleted records.
    ///
    /// - Returns: Whether none of the records is left, and whether a marked one was missing.
    private static func settle(
        _ records: [LeftBehind], _ answers: [PushReply.Answer], in journal: any JournalWriting,
        _ settings: ApplySettings
    ) throws -> (isDone: Bool, isMissing: Bool) {
        let zone = ZoneWriter(journal, settings.zoneNumber)
        var isDone = true, isMissing = false
        for (record, answer) in zip(records, answers) {
            switch answer {
            case .conflict(nil) where record.mark != nil:
                // The feed is still to tell of the record's deletion.
                try journal.setNote(.moves, of: record.subject, to: record.note.withoutRecord(isTold: false))
                isMissing = true
            case .done, .conflict(nil):
                try journal.removeNote(.moves, of: record.subject)
                // The feed will tell of this deletion. It means the old record, not the object in its place.
                if record.mark == nil { try zone.noteEnded([record.subject.key]) }
            case .conflict(let other?):
                guard let theirs = other.mark, !theirs.isDone else {
                    // The record is no longer marked, or is already empty.
                    try journal.removeNote(.moves, of: record.subject)
                    continue
                }
                // Another device moves the object from here to its present zone, and has marked the record since.
                let place = try journal.zones(of: [record.subject.key])[record.subject.key] ?? 0
                let isTheirs = try journal.nameOnServer(ofZone: place, settings.names) == theirs.zone
                try journal.setNote(
                    .moves, of: record.subject,
                    to: MoveNote(
                        entityName: record.objectID.entityName,
                        state: .formerRecord(
                            record.mark ?? (isTheirs ? theirs : nil), name: record.name, tag: other.recordChangeTag)))
                isDone = false
            case .untouched: isDone = false
            case .refused, .held, .unauthorized, .denied, .later, .parentless: break
            }
        }
        return (isDone, isMissing)
    }
}

extension SyncFailure {
    /// Whether other assets may still be available. A lost zone is noticed by its own next pull.
    fileprivate var isOfOneAsset: Bool { kind == .permanent || kind == .zoneNotFound || kind == .tokenRefused }
}

/// A record to be emptied or deleted, because its object is in another zone or has come back.
private struct LeftBehind: Sendable {
    let subject: ZonedKey
    let objectID: ObjectID
    let mark: MoveMark?
    let name: String
    let tag: String?

    var note: MoveNote { MoveNote(entityName: objectID.entityName, state: .formerRecord(mark, name: name, tag: tag)) }

    /// The operation that empties the record down to a complete mark. A record without a mark is deleted.
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
    /// The records that can be emptied or deleted now. The server has their objects in the new zones, or they are in
    /// the way of returning objects.
    fileprivate func formerRecord() throws -> [LeftBehind] {
        var records: [LeftBehind] = []
        for (subject, note) in try notes(.moves) {
            guard case .formerRecord(let mark, let name, let tag) = note.state else { continue }
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

    /// The missing assets of objects marked to move to another zone.
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
