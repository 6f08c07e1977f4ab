package import Backstitch
package import Foundation

extension SQLJournal: JournalWriting {
    package func upsert(_ rows: RowBatch) throws {
        let connection = try writableConnection()
        let stored = try reader().rows(of: rows.entity, keys: Array(rows.keys))
        let storedRow = Dictionary(stored.keys.indices.map { (stored.keys[$0], $0) }, uniquingKeysWith: { $1 })
        var positions: [Int] = []
        for row in rows.lastRowsOfKeys() {
            let key = rows.keys[row]
            guard let known = storedRow[key] else {
                history.inserted(rows.entity, key)
                positions.append(row)
                continue
            }
            let changed = rows.columns(of: row, unlike: known, in: stored)
            // An unchanged row keeps its version, so that its readers meet no conflict.
            if changed.isEmpty { continue }
            history.updated(rows.entity, key, changed)
            positions.append(row)
        }
        guard !positions.isEmpty else { return }
        let statement = statements.writing(rows.entity).upsert
        try connection.runEach(statement, rows: rows, positions: positions) { _, _ in }
    }

    package func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws {
        guard !keys.isEmpty else { return }
        let connection = try writableConnection()
        let writer = LinkWriter(connection, statements)
        for links in try writer.removals(ofLinksTo: keys, of: entity) {
            // Links to the deleted rows stay, in the same way as a column that refers to the row. The owner's record
            // still has them, and the row may return.
            for owner in Set(links.removed.map(\.source)).sorted() {
                history.updated(links.entity, owner, PropertySet(CollectionOfOne(links.property.slot)))
            }
        }
        try writer.removeOwned(by: keys, of: entity)
        let tombstones = try entity.keepsTombstones ? Tombstones(reader().rows(of: entity, keys: keys)) : Tombstones()
        let statement = statements.writing(entity).delete
        var deleted: [ObjectKey] = []
        try connection.runEach(statement, count: keys.count) {
            $1.bind(keys[$0], at: 1)
        } done: { run, changed in
            if changed > 0 { deleted.append(keys[run]) }
        }
        for key in deleted { history.deleted(entity, key, tombstones[key]) }
    }

    package func change(_ links: LinkChange) throws {
        let effect = try LinkWriter(writableConnection(), statements).apply(links) { _ in false }
        for owner in effect.owners.sorted() {
            history.updated(links.entity, owner, PropertySet(CollectionOfOne(links.property.slot)))
        }
    }

    package func putOutbox(_ entries: [OutboxEntry]) throws { try OutboxTable(writableConnection()).put(entries) }

    package func removeOutbox(_ keys: [ObjectKey]) throws { try OutboxTable(writableConnection()).remove(keys) }

    package func putRecordStates(_ states: [RecordState]) throws { try RecordTable(writableConnection()).put(states) }

    package func removeRecordStates(_ keys: [ObjectKey]) throws { try RecordTable(writableConnection()).remove(keys) }

    package func purgeHistory(through number: Int64, before date: Date) throws -> Int {
        try HistoryPurge(writableConnection()).purge(through: number, before: date)
    }

    package func raiseTransactionNumber(to number: Int64) throws {
        let connection = try writableConnection()
        var statement = SQLStatement(connection.dialect, "UPDATE \(SystemTables.counter) SET value = ")
        statement.append(.int(number))
        statement.append(" WHERE name = 'transaction' AND value < ")
        statement.append(.int(number))
        try connection.run(statement)
    }

    package func setMetadata(_ value: Data?, for key: String) throws {
        try MetadataTable(writableConnection()).set(value, for: key)
    }

    package func putZone(_ number: Int64, named name: String) throws {
        try ZoneTable(writableConnection()).put(number, named: name)
    }

    package func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws {
        try ZoneTable(writableConnection()).setReadOnly(isReadOnly, zone)
    }

    package func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws {
        try ZoneTable(writableConnection()).setRoots(roots, zone)
    }

    package func setCreatorRights(_ rights: CreatorRights?) throws {
        try ZoneTable(writableConnection()).setCreatorRights(rights)
    }

    package func putCreators(_ creators: [ObjectKey: String]) throws {
        let connection = try writableConnection()
        guard try !creators.isEmpty && ZoneTable(connection).creatorRights != nil else { return }
        try CreatorTable(connection).put(creators)
    }

    package func removeCreators(_ keys: [ObjectKey]) throws {
        let connection = try writableConnection()
        guard try !keys.isEmpty && ZoneTable(connection).creatorRights != nil else { return }
        try CreatorTable(connection).remove(keys)
    }

    package func removeZone(_ number: Int64) throws { try ZoneTable(writableConnection()).remove(number) }

    package func setZone(_ zone: Int64, of keys: [ObjectKey]) throws {
        let table = ZoneTable(try writableConnection())
        // Without zones every object is in the main one.
        if try zone != 0 || !table.isEmpty { try table.set(zone, of: keys) }
    }
}
