package import Backstitch

/// The table of the outbox in the database: one entry for each changed object.
package struct OutboxTable {
    private let connection: any SQLConnection
    private let columns = ["key", "entity", "kind", "sequence", "first_sequence", "fields", "blocked"]

    /// Creates the outbox of a connection.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// Pending entries after `sequence`, the lowest sequence first.
    ///
    /// - Parameter zone: Only objects in that zone, in a store with several zones; nil for all.
    package func waiting(after sequence: Int64, limit: Int, inZone zone: Int64? = nil) throws -> [OutboxEntry] {
        var statement = query(inZone: zone)
        statement.append("entry.blocked IS NULL AND entry.sequence > ")
        statement.append(.int(sequence))
        statement.append(" ORDER BY entry.sequence, entry.key LIMIT ")
        statement.append(.int(Int64(max(0, limit))))
        return try entries(of: statement)
    }

    /// The blocked entries, oldest first.
    package func blocked() throws -> [OutboxEntry] {
        try entries(of: query("blocked IS NOT NULL ORDER BY sequence, key"))
    }

    /// The entries of these objects, by key.
    package func entries(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry] {
        var found: [ObjectKey: OutboxEntry] = [:]
        for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
            var statement = query("key")
            statement.append(isOneOf: chunk)
            for entry in try entries(of: statement) { found[entry.objectID.key] = entry }
        }
        return found
    }

    /// The numbers of pending and of blocked entries.
    package func counts() throws -> (waiting: Int, blocked: Int) {
        var counts = (waiting: 0, blocked: 0)
        let statement = SQLStatement(
            connection.dialect,
            "SELECT (SELECT count(*) FROM \(SystemTables.outbox) WHERE blocked IS NULL), "
                + "(SELECT count(*) FROM \(SystemTables.outbox) WHERE blocked IS NOT NULL)")
        try connection.forEachRow(of: statement) { counts = (Int($0.int(0)), Int($0.int(1))) }
        return counts
    }

    /// Writes entries, and replaces those of the same objects. Of several for one object the last counts.
    package func put(_ entries: [OutboxEntry]) throws {
        let entries = entries.lastOfEach(\.objectID.key)
        let assignments = ["entity", "kind", "sequence", "first_sequence", "fields", "blocked"]
            .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try connection.runEach(insertion(" ON CONFLICT (key) DO UPDATE SET \(assignments)"), count: entries.count) {
            Self.bind(entries[$0], $1)
        } done: { _, _ in
        }
    }

    /// Writes entries for new objects, and returns the keys of objects that already have one. Those entries stay
    /// unchanged.
    package func insert(
        _ keys: [ObjectKey], of entity: ResolvedEntity, transaction: Int64, isHeld: Bool
    ) throws -> [ObjectKey] {
        var clashes: [ObjectKey] = []
        let statement = insertion(" ON CONFLICT (key) DO NOTHING", returning: [("key", 0)])
        let entityName = entity.name
        try connection.runEach(statement, count: keys.count) { run, parameters in
            parameters.bind(keys[run], at: 1)
            parameters.bind(entityName, at: 2)
            parameters.bind(OutboxEntry.Kind.insert.code, at: 3)
            parameters.bind(transaction, at: 4)
            parameters.bind(transaction, at: 5)
            parameters.bind(nil as [UInt8]?, at: 6)
            parameters.bind(isHeld ? OutboxEntry.heldReason : nil, at: 7)
        } done: { run, changed in
            if changed == 0 { clashes.append(keys[run]) }
        }
        return clashes
    }

    /// Removes the entries of these objects.
    package func remove(_ keys: [ObjectKey]) throws {
        let builder = SQLBulkBuilder(connection.dialect, [.key])
        let statement = builder.delete(from: SystemTables.outbox, where: "key = \(builder.value(0))")
        try connection.runEach(statement, count: keys.count) {
            $1.bind(keys[$0], at: 1)
        } done: { _, _ in
        }
    }

    private func insertion(
        _ ending: String, returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        SQLBulkBuilder(connection.dialect, [.key, .text, .integer, .integer, .integer, .bytes, .text])
            .insert(into: SystemTables.outbox, [columns.joined(separator: ", ")], ending, returning: returning)
    }

    private func query(_ condition: String) -> SQLStatement {
        SQLStatement(
            connection.dialect,
            "SELECT \(columns.joined(separator: ", ")) FROM \(SystemTables.outbox) WHERE \(condition)")
    }

    /// The beginning of a query for the entries of one zone, or of all zones.
    private func query(inZone zone: Int64?) -> SQLStatement {
        let names = columns.map { "entry.\($0)" }.joined(separator: ", ")
        let table = "\(SystemTables.outbox) AS entry", places = "\(SystemTables.placement) AS place"
        guard let zone else { return SQLStatement(connection.dialect, "SELECT \(names) FROM \(table) WHERE ") }
        guard zone != 0 else {
            return SQLStatement(
                connection.dialect,
                "SELECT \(names) FROM \(table) "
                    + "WHERE NOT EXISTS (SELECT 1 FROM \(places) WHERE place.key = entry.key) AND ")
        }
        var statement = SQLStatement(
            connection.dialect,
            "SELECT \(names) FROM \(places) JOIN \(table) ON entry.key = place.key WHERE place.zone = ")
        statement.append(.int(zone))
        statement.append(" AND ")
        return statement
    }

    private func entries(of statement: SQLStatement) throws -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        try connection.forEachRow(of: statement) { entries.append(try Self.entry($0)) }
        return entries
    }

    private static func bind(_ entry: OutboxEntry, _ parameters: any SQLBinder) {
        parameters.bind(entry.objectID.key, at: 1)
        parameters.bind(entry.objectID.entityName, at: 2)
        parameters.bind(entry.kind.code, at: 3)
        parameters.bind(entry.sequence, at: 4)
        parameters.bind(entry.firstSequence, at: 5)
        parameters.bind(entry.fields.isEmpty ? nil : OutboxFieldCoding.encode(entry.fields), at: 6)
        parameters.bind(entry.blockedReason, at: 7)
    }

    private static func entry(_ row: any SQLRow) throws -> OutboxEntry {
        let id = ObjectID(entityName: row.text(1), key: try row.key(0))
        guard let kind = OutboxEntry.Kind(code: row.int(2)) else {
            throw BackstitchError(
                .storeFailure,
                "the outbox entry of \(id) is damaged: no kind has the number \(row.int(2)); restore the store "
                    + "from a backup, or "
                    + "remove it and sync again", objectID: id)
        }
        return OutboxEntry(
            objectID: id, kind: kind, sequence: row.int(3), firstSequence: row.int(4),
            fields: try OutboxFieldCoding.decode(row.bytes(5)), blockedReason: row.optionalText(6))
    }
}

extension OutboxEntry.Kind {
    /// The kind's number in the database.
    fileprivate var code: Int64 {
        switch self {
        case .insert: 0
        case .update: 1
        case .delete: 2
        }
    }

    /// Creates the kind from its number in the database; nil for an unknown number.
    fileprivate init?(code: Int64) {
        switch code {
        case 0: self = .insert
        case 1: self = .update
        case 2: self = .delete
        default: return nil
        }
    }
}

extension Array {
    /// The last element of each key, in order. One statement must not write a row twice.
    func lastOfEach(_ key: (Element) -> ObjectKey) -> [Element] {
        var last: [ObjectKey: Int] = [:]
        for (index, element) in enumerated() { last[key(element)] = index }
        return last.count == count ? self : last.values.sorted().map { self[$0] }
    }
}
