import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Carries on the moves of objects from one zone to another: first the news of them, then this device's own.
    func settleMoves() async throws -> SettledMoves {
        try await takeStoreAsItIs()
        let freed = try await deleteLeftovers()
        // Each pass returns its changes at once: the failure of a later step would hide them.
        var settled = try await settleNotes()
        if !settled.applied.isFruitless || settled.needsReading {
            settled.hasMore = true
            return settled
        }
        try await fetchMovingAssets()
        let carried = try await carryMoves()
        settled.applied.add(carried.applied)
        settled.needsReading = carried.needsReading
        settled.hasMore = carried.hasMoved || freed.isCutShort
        if let wait = carried.wait { settled.wait = max(wait, settled.wait ?? 0) }
        settled.zones = try await work(in: carried.unsent.union(freed.zones), and: settled.zones)
        return settled
    }

    /// Settles the notes of all moves.
    private func settleNotes() async throws -> SettledMoves {
        let names = try await takeStoreAsItIs()
        let zones = [0: self].merging(names.map { ($0, services(of: $0, named: $1)) }) { $1 }
        let hasMainZone = client.options.database.hasMainZone
        let outcome = try await resolving { main in
            let settings = zones.mapValues { $0.settings.deciding(as: main) }
            return try await onWholeStore { store in
                let outcome = try main.leavingOutRefused { main in
                    try main.generation.write(to: store) { journal in
                        var settler = MoveSettler(
                            settings: settings.mapValues { $0.deciding(as: main) }, mayMove: main.mayMove,
                            hasMainZone: hasMainZone, now: time.milliseconds(),
                            isOver: { reading.isOver(inZone: $0, hasMainZone: hasMainZone) })
                        return try settler.settle(in: journal)
                    }
                }
                announce(outcome.applied.changes)
                return outcome
            }
        }
        bell.ring()
        var settled = SettledMoves()
        settled.applied = outcome.applied
        (settled.needsReading, settled.wait) = (outcome.needsReading, outcome.wait)
        if !outcome.twins.isEmpty, outcome.applied.isFruitless {
            let twins = try await settle(outcome.twins)
            settled.applied.add(twins.applied)
            settled.needsReading = settled.needsReading || twins.needsReading
        }
        settled.zones = try await work(in: outcome.unsent, and: [])
        return settled
    }

    /// Decides about objects with two records, after the server was asked for those in the objects' zones.
    private func settle(_ twins: [MoveArrivals.Twin]) async throws -> (applied: AppliedChanges, needsReading: Bool) {
        var result = (applied: AppliedChanges(), needsReading: false)
        for (place, twins) in Dictionary(grouping: twins, by: \.place).sorted(by: { $0.key < $1.key }) {
            guard let services = try await services(of: place) else { continue }
            for part in twins.parts(of: min(client.limits.operations, 200)) {
                let part = Array(part)
                let records: [WireRecord?]
                do {
                    records = try await services.client.records(named: part.map(\.recordName), fields: [])
                } catch let failure as SyncFailure
                    where failure.kind == .zoneNotFound || failure.kind == .tokenRefused
                {
                    // The next pull of the zone finds out about it.
                    continue
                }
                let names = try await onWholeStore { try $0.readJournal { try $0.zones() } }
                let zones = [0: self].merging(names.map { ($0, self.services(of: $0, named: $1)) }) { $1 }
                let settings = zones.mapValues(\.currentSettings)
                let (applied, undecided) = try await askingForKeys {
                    try await onWholeStore { [generation = self.settings.generation] store in
                        try generation.write(to: store) { journal in
                            var judge = MoveTwins(settings: settings), undecided = 0
                            for (twin, record) in zip(part, records) {
                                if try !judge.settle(twin, record, in: journal) { undecided += 1 }
                            }
                            return (judge.applied, undecided)
                        }
                    }
                }
                result.applied.add(applied)
                if undecided > 0 {
                    reading.lacksNews(ofZone: place)
                    result.needsReading = true
                }
            }
        }
        return result
    }

    /// The work in zones that have something to send.
    private func work(in zones: Set<Int64>, and others: [ZoneWork]) async throws -> [ZoneWork] {
        let zones = zones.union(others.map(\.zone))
        guard !zones.isEmpty else { return [] }
        return try await onWholeStore { store in
            try store.readJournal { journal in
                let known = try journal.zoneStates()
                return try zones.sorted().filter { try $0 == 0 || journal.name(ofZone: $0) != nil }.map { zone in
                    zone == 0 ? .mainWithUnsent : ZoneWork(of: zone, known[zone] ?? [], hasUnsent: true)
                }
            }
        }
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

    /// Downloads the assets of objects that are to move: the record in the other zone needs their bytes.
    private func fetchMovingAssets() async throws {
        guard settings.mayMove, settings.model.heldEntities.contains(where: { !$0.assetColumns.isEmpty }) else {
            return
        }
        let missing = try await onWholeStore { [settings] store in
            try store.readJournal { try $0.assetsOfMoves(settings) }
        }
        for (zone, assets) in Dictionary(grouping: missing, by: \.zone).sorted(by: { $0.key < $1.key }) {
            guard let services = try await services(of: zone) else { continue }
            for asset in assets.map(\.asset) {
                do {
                    try await services.download(
                        asset.reference, of: asset.objectID, key: asset.key, asset.recordName, nil)
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
    }
}

extension SyncFailure {
    /// Whether other assets may still be available. A lost zone is noticed by its own next pull.
    fileprivate var isOfOneAsset: Bool { kind == .permanent || kind == .zoneNotFound || kind == .tokenRefused }
}

extension JournalReading {
    /// The missing assets of objects that are to move, with the zones that have them.
    fileprivate func assetsOfMoves(_ settings: ApplySettings) throws -> [(zone: Int64, asset: WantedAsset)] {
        var missing: [(zone: Int64, asset: WantedAsset)] = []
        let pauses = try TransferPauses(in: self)
        try forEachPageOfMoves { notes in
            let leaving = notes.sorted.filter { notes.isToLeave($0.subject) }
            let states = try recordStates(for: leaving.map(\.subject.key))
            for (name, moves) in Dictionary(grouping: leaving, by: \.note.entityName).sorted(by: { $0.key < $1.key }) {
                guard let entity = settings.model.entity(named: name), !entity.assetColumns.isEmpty else { continue }
                let zones = Dictionary(moves.map { ($0.subject.key, $0.subject.zone) }, uniquingKeysWith: { $1 })
                for asset in try assets(of: zones.keys.sorted(), entity, states) {
                    guard !settings.assets.contains(asset.reference),
                        !pauses.hold(AssetPlace(key: asset.objectID.key, attribute: asset.key))
                    else { continue }
                    missing.append((zones[asset.objectID.key] ?? 0, asset))
                }
            }
        }
        return missing
    }

    private func assets(
        of keys: [ObjectKey], _ entity: SyncedEntity, _ states: [ObjectKey: RecordState]
    ) throws -> [WantedAsset] {
        let rows = try rows(of: entity.entity, keys: keys)
        return (0..<rows.count).flatMap { row in
            entity.assetColumns.compactMap { column in
                guard case .asset(let reference) = rows.value(row, column.slot),
                    let name = states[rows.keys[row]]?.recordName
                else { return nil }
                return WantedAsset(
                    objectID: rows.objectID(at: row), key: column.name, recordName: name, reference: reference,
                    downloadURL: nil)
            }
        }
    }
}

// Records to be deleted because their objects are in other zones.
extension SyncServices {
    /// Deletes such records.
    ///
    /// - Returns: The zones with deleted records, and whether some were left for a later pass.
    func deleteLeftovers() async throws -> (zones: Set<Int64>, isCutShort: Bool) {
        guard !client.options.isReadOnly, settings.mayMove else { return ([], false) }
        let due = try await onWholeStore { store in try store.readJournal { try $0.leftovers() } }
        guard !due.isEmpty else { return ([], false) }
        // After a power cut the store must still know these records. Otherwise the deletion would be taken for that of
        // the object.
        try await onWholeStore { try $0.makeDurable() }
        var zones: Set<Int64> = [], isCutShort = false
        for (zone, records) in Dictionary(grouping: due, by: \.subject.zone).sorted(by: { $0.key < $1.key }) {
            guard let services = try await services(of: zone) else { continue }
            let names = try await zoneNames(of: Set(records.compactMap(\.place)))
            for part in records.parts(of: min(client.limits.operations, 200)) {
                if try await !services.delete(Array(part), names) { isCutShort = true }
                zones.insert(zone)
            }
        }
        return (zones, isCutShort)
    }

    /// The names of zones on the server.
    func zoneNames(of zones: Set<Int64>) async throws -> [Int64: String] {
        let names = client.names
        return try await onWholeStore { store in
            try store.readJournal { journal in
                var found: [Int64: String] = [:]
                for zone in zones { found[zone] = try journal.nameOnServer(ofZone: zone, names) }
                return found
            }
        }
    }

    /// Deletes some records of this zone.
    ///
    /// - Returns: Whether none of them is left.
    private func delete(_ records: [Leftover], _ names: [Int64: String]) async throws -> Bool {
        let items = records.map { record in
            var operation = RecordOperation(
                .delete, WireRecord(recordName: record.name, recordChangeTag: record.tag))
            operation.record.movedTo = record.place.flatMap { names[$0] }
            return PushItem(
                entry: OutboxEntry(objectID: record.objectID, kind: .delete, sequence: 0, firstSequence: 0),
                operation: operation)
        }
        let reply: PushReply
        do {
            reply = try await sendUnmoved(
                PushBatch(items: items, idempotencyKey: nil, token: try await zoneToken()))
        } catch let failure as SyncFailure where failure.kind == .batchRefused && records.count > 1 {
            // A server may accept fewer at once than it says.
            let half = records.count / 2
            let isDone = try await delete(Array(records.prefix(half)), names)
            return try await delete(Array(records.dropFirst(half)), names) && isDone
        } catch let failure as SyncFailure where failure.kind == .zoneNotFound || failure.kind == .tokenRefused {
            // The next pull of the zone finds out about it.
            return true
        }
        return try await onWholeStore { [settings] store in
            try settings.generation.write(to: store, isStep: false) { journal in
                var isDone = true
                for (record, answer) in zip(records, reply.answers) {
                    switch answer {
                    case .done, .conflict, .moved:
                        // A changed record is news again, once its feed is read.
                        try journal.setMove(of: record.subject, to: nil)
                    case .untouched: isDone = false
                    case .refused, .held, .unauthorized, .denied, .later, .parentless: break
                    }
                }
                return isDone
            }
        }
    }

    /// The zone's change token.
    func zoneToken() async throws -> String? {
        try await onStore { try $0.readJournal { try $0.value(of: .token) } }
    }
}

/// A record to be deleted, because its object is in another zone.
private struct Leftover: Sendable {
    let subject: ZonedKey
    let objectID: ObjectID
    let name: String
    let tag: String
    /// The zone of the object; nil if there is no object.
    let place: Int64?
}

extension JournalReading {
    /// The records that can be deleted now: the server has their objects in other zones, or there are no objects.
    fileprivate func leftovers() throws -> [Leftover] {
        var records: [Leftover] = []
        try forEachPageOfMoves { notes in
            let left = notes.sorted.filter { if case .leftover = $0.note.state { true } else { false } }
            let keys = left.map(\.subject.key)
            let states = try recordStates(for: keys), entries = try outbox(for: keys), places = try zones(of: keys)
            for (subject, note) in left {
                guard case .leftover(let name, let tag) = note.state else { continue }
                let key = subject.key, place = places[key] ?? 0
                let isThere = states[key]?.changeTag != nil && states[key]?.isOfNoRecord == false
                guard isThere && place != subject.zone || entries[key] == nil && states[key] == nil else { continue }
                records.append(
                    Leftover(
                        subject: subject, objectID: ObjectID(entityName: note.entityName, key: key), name: name,
                        tag: tag, place: isThere ? place : nil))
            }
        }
        return records
    }
}
