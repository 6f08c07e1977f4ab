import Backstitch
import CloudWire

/// The rows of a page's records, by the index of their entity, as far as their unique values are needed.
typealias CleanRows = [Int: RowBatch]

extension RemoteChangeApplier {
    /// Rows of the records of entities with unique constraints, by the entity's index.
    func uniqueRows(of clean: [[CleanRecord]]) -> CleanRows {
        var rows: CleanRows = [:]
        for (entity, records) in zip(settings.model.entities, clean)
        where !records.isEmpty && !entity.entity.uniquenessConstraints.isEmpty {
            var builder = RowBatchBuilder(entity: entity.entity, capacity: records.count)
            for item in records {
                builder.beginRow(key: item.news.key, version: 1)
                for cell in item.decoded.cells { builder.append(cell) }
            }
            rows[entity.entity.index] = builder.finish()
        }
        return rows
    }

    /// Takes deletions out of the incoming changes if an incoming record has the unique values of the deleted object.
    /// One has become the other. Links to the deleted object are redirected at the end of the pull.
    mutating func noteDepartures(
        _ rows: CleanRows, gone: inout [[ObjectKey]], dirty: inout [RemoteChange]
    ) throws {
        let model = settings.model
        var arriving: Set<UniqueClaim> = []
        for batch in rows.values {
            for row in 0..<batch.count { arriving.formUnion(model.claims(of: { batch.value(row, $0) }, batch.entity)) }
        }
        guard !arriving.isEmpty else { return }
        for entity in model.entities.map(\.entity) where !entity.uniquenessConstraints.isEmpty {
            let lost = dirty.filter { $0.record == nil && entries[$0.key]?.objectID.entityName == entity.name }
            let keys = gone[entity.index] + lost.map(\.key)
            guard !keys.isEmpty else { continue }
            let stored = try journal.rows(of: entity, keys: keys)
            for row in 0..<stored.count
            where !arriving.isDisjoint(with: model.claims(of: { stored.value(row, $0) }, entity)) {
                let key = stored.keys[row]
                try DepartedObjects.add(stored.objectID(at: row), to: journal)
                gone[entity.index].removeAll { $0 == key }
                dirty.removeAll { $0.key == key }
                notes.goneStates.removeAll { $0 == key }
                result.changes.deleted.removeAll { $0.key == key }
            }
        }
    }

    /// The records with free unique values. The others are deferred until the end of the pull. If the holder of the
    /// values is in another zone, the record is parked.
    mutating func withoutRivals(_ records: [CleanRecord], _ rows: RowBatch) throws -> [CleanRecord] {
        let journal = self.journal
        let claims = (0..<rows.count).map { row in
            settings.model.claims(of: { rows.value(row, $0) }, rows.entity)
        }
        let holders = try journal.holders(of: claims.flatMap(\.self), settings.model)
        var owners = holders.mapValues(\.key)
        let zones = try journal.zones(of: Array(owners.values))
        return try zip(records, claims).compactMap { item, claims in
            let isFree = claims.allSatisfy { owners[$0] == nil || owners[$0] == item.news.key }
            if !isFree, let record = item.news.record {
                let rivals = claims.compactMap { holders[$0] }.filter { $0.key != item.news.key }
                if let rival = rivals.first(where: { (zones[$0.key] ?? 0) != settings.zoneNumber }) {
                    try park(record, item.news, Self.elsewhere(rival), awaitsValues: true)
                } else {
                    takeArrivalBack(of: item.news.key)
                    try deferred?.add(record, in: journal)
                }
                return nil
            }
            for claim in claims { owners[claim] = item.news.key }
            try merged?.remove(item.news.key, from: journal)
            return item
        }
    }

    /// Whether a merged object must wait, since another object has its unique values. Its record is then deferred, or
    /// parked if the other object is in another zone.
    mutating func mustWait(_ image: RecordImage, _ item: RemoteChange, _ entity: SyncedEntity) throws -> Bool {
        guard !entity.entity.uniquenessConstraints.isEmpty, let record = item.record else { return false }
        let journal = self.journal
        guard let rival = try journal.rival(of: item.key, image, entity.entity, settings.model) else {
            try merged?.remove(item.key, from: journal)
            return false
        }
        if try isElsewhere(rival) {
            try park(record, item, Self.elsewhere(rival), awaitsValues: true)
        } else {
            takeArrivalBack(of: item.key)
            try deferred?.add(record, in: journal)
        }
        return true
    }

    /// Whether an object of the store is in another zone. Objects of two zones cannot become one.
    func isElsewhere(_ id: ObjectID) throws -> Bool {
        try journal.zones(of: [id.key])[id.key] ?? 0 != settings.zoneNumber
    }

    /// The reason for parking a record with the unique values of an object in another zone.
    static func elsewhere(_ rival: ObjectID) -> String {
        "\(rival), which is in another zone, has the same unique values; change or delete one of the two"
    }

    /// The reason for parking a record with the unique values of an object visible to other guests.
    static func seenByOthers(_ rival: ObjectID) -> String {
        "\(rival) has the same unique values, and each of the two is shared with people who do not see the "
            + "other; change or delete one of them"
    }

    /// Forgets deferred records and departed objects after newer versions of them have come.
    mutating func forgetDeferred(_ news: [RemoteChange]) throws {
        guard settings.model.hasUniqueness else { return }
        let journal = self.journal
        let departed = try DepartedObjects.all(in: journal)
        for item in news {
            try deferred?.remove(item.name, from: journal)
            if departed[item.key] != nil { try DepartedObjects.remove(item.key, from: journal) }
        }
    }

    /// Notes the references of a record to objects that were merged into others.
    mutating func noteMergedTargets(_ decoded: RecordDecoder.Decoded, _ entity: SyncedEntity) {
        guard let merged, !merged.isEmpty else { return }
        for column in entity.references {
            if case .key(let key) = decoded.cells[column.slot], merged.winner(of: key) != nil {
                mergedTargets.insert(ObjectID(entityName: column.destinationName, key: key))
            }
        }
        for property in entity.ownedLinks {
            for key in decoded.links[property.slot] ?? [] where merged.winner(of: key) != nil {
                mergedTargets.insert(ObjectID(entityName: property.destinationName, key: key))
            }
        }
    }

    /// Redirects links from merged objects to the remaining ones.
    mutating func relinkMergedTargets() throws {
        guard !mergedTargets.isEmpty, let merged else { return }
        var merger = try DuplicateMerger(journal: journal, settings: settings)
        for loser in mergedTargets.sorted() {
            if let winner = merged.winner(of: loser.key) { try merger.giveLinks(of: loser, to: winner) }
        }
        result.add(merger.result)
    }
}

extension AppliedChanges {
    /// Adds later changes of the same transaction.
    mutating func add(_ later: AppliedChanges) {
        conflicts += later.conflicts
        parked += later.parked
        blocked += later.blocked
        merged += later.merged
        reverted += later.reverted
        hasUnsent = hasUnsent || later.hasUnsent
        mayMissAssets = mayMissAssets || later.mayMissAssets
        mayMove = mayMove || later.mayMove
        if !later.changes.isEmpty { changes = StoreChanges(inOrder: [changes, later.changes]) }
    }
}

extension StoreChanges {
    private enum Fate { case inserted, updated, deleted }

    /// The outcome of several changes, one after another within one transaction.
    ///
    /// - Complexity: O(*n* log *n*) in the number of all objects.
    init(inOrder parts: [StoreChanges]) {
        var fates: [ObjectID: Fate] = [:]
        for part in parts {
            for id in part.inserted { fates[id] = fates[id] == .deleted ? .updated : .inserted }
            for id in part.updated where fates[id] != .inserted { fates[id] = .updated }
            for id in part.deleted { fates[id] = fates[id] == .inserted ? nil : .deleted }
        }
        let ids = fates.keys.sorted()
        self.init(
            inserted: ids.filter { fates[$0] == .inserted }, updated: ids.filter { fates[$0] == .updated },
            deleted: ids.filter { fates[$0] == .deleted })
    }
}
