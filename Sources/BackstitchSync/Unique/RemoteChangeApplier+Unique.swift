import Backstitch
import CloudWire

/// The rows of a page's records, by the index of their entity, as far as they are wanted for their unique values.
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

    /// Takes out of the news the deletions of objects whose unique values a record has that has come along: one has
    /// become the other, so links to the one that goes are given on, at the end of the pull.
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

    /// The records whose unique values nobody else has here; the others are deferred until the end of the pull.
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

    /// Whether an object that a merge has made must wait, since its unique values are another one's; its record is held
    /// then.
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

    /// Why a record cannot become an object whose unique values one of another zone has.
    static func elsewhere(_ rival: ObjectID) -> String {
        "its unique values are those of \(rival), which is in another zone; change or delete one of the two"
    }

    /// The same of one that other guests see.
    static func seenByOthers(_ rival: ObjectID) -> String {
        "its unique values are those of \(rival), and each of the two is shared with people who do not see the other; "
            + "change or delete one of them"
    }

    /// Forgets what waited of records of which there is news.
    mutating func forgetDeferred(_ news: [RemoteChange]) throws {
        guard settings.model.hasUniqueness else { return }
        let journal = self.journal
        let departed = try DepartedObjects.all(in: journal)
        for item in news {
            try deferred?.remove(item.name, from: journal)
            if departed[item.key] != nil { try DepartedObjects.remove(item.key, from: journal) }
        }
    }

    /// Notes which objects a record refers to that have become others here.
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

    /// Has links to objects that have become others lead to those.
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
    /// Adds what was done after it, within the same transaction.
    mutating func add(_ later: AppliedChanges) {
        conflicts += later.conflicts
        parked += later.parked
        blocked += later.blocked
        merged += later.merged
        reverted += later.reverted
        hasUnsent = hasUnsent || later.hasUnsent
        mayMissAssets = mayMissAssets || later.mayMissAssets
        mayMove = mayMove || later.mayMove
        zonesBehind.formUnion(later.zonesBehind)
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
