import Backstitch

/// Gives transactions their numbers, and writes their changes to history.
struct HistoryWriter {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// Takes the number of the next transaction. Its row stays locked until the commit, so numbers rise in the order of
    /// commits.
    func nextNumber() throws -> Int64 {
        let raising = "UPDATE \(SystemTables.counter) SET value = value + 1 WHERE name = 'transaction'"
        if connection.dialect.isRemote { return try number("\(raising) RETURNING value") }
        // An embedded database may keep a journal for each writing statement that returns rows. A query takes less
        // time.
        try connection.run(SQLStatement(connection.dialect, raising))
        return try lastNumber()
    }

    /// Prevents other writers from taking a number until the commit.
    func holdNumber() throws {
        try connection.run(
            SQLStatement(
                connection.dialect, "UPDATE \(SystemTables.counter) SET value = value WHERE name = 'transaction'"))
    }

    /// The number of the last transaction; 0 before the first.
    func lastNumber() throws -> Int64 {
        try number("SELECT value FROM \(SystemTables.counter) WHERE name = 'transaction'")
    }

    /// Writes a transaction that already has its number.
    ///
    /// - Parameter keepsOutbox: Whether the transaction has filled the outbox.
    /// - Returns: Whether the store has the mark of given keys (``KeyOwners``).
    /// - Throws: ``OutboxMark/WasSet`` when the transaction has not filled the outbox, but the store needs it.
    @discardableResult
    func write(
        _ number: Int64, _ author: HistoryAuthor, _ segments: [HistorySegment], keepsOutbox: Bool
    ) throws -> Bool {
        var statement = SQLStatement(
            connection.dialect,
            "INSERT INTO \(SystemTables.transaction) (number, timestamp, author, context, token) VALUES (")
        statement.append(.int(number))
        statement.append(", ")
        statement.append(.int(author.timestamp))
        statement.append(", ")
        statement.append(.text(author.author))
        statement.append(", ")
        statement.append(.text(author.context))
        statement.append(", ")
        statement.append(author.token.map(SQLParameter.key) ?? .value(.null))
        statement.append(")")
        let marks = try insert(statement)
        if !keepsOutbox, marks.contains(.outbox) { throw OutboxMark.WasSet() }
        var position = 0
        for segment in segments {
            try write(segment, number, from: position)
            position += segment.keys.count
        }
        return marks.contains(.givenKeys)
    }

    /// Inserts the transaction's row, and returns the marks of the store. Only a transaction that holds the number sets
    /// them. So a look after the number was taken is final.
    private func insert(_ transaction: SQLStatement) throws -> Set<StoreTable.Name> {
        let names: [StoreTable.Name] = [.outbox, .givenKeys]
        var marks: Set<StoreTable.Name> = []
        if connection.dialect.isRemote {
            let looks = names.map { "CAST(EXISTS (\(StoreTable.query(for: $0))) AS INTEGER)" }
            var transaction = transaction
            transaction.append(" RETURNING \(looks.joined(separator: ", "))")
            try connection.forEachRow(of: transaction) { row in
                for (column, name) in names.enumerated() where row.int(column) != 0 { marks.insert(name) }
            }
        } else {
            try connection.run(transaction)
            let query = SQLStatement(connection.dialect, StoreTable.query(forNamesOf: names))
            try connection.forEachRow(of: query) { row in
                if let name = StoreTable.Name(rawValue: row.text(0)) { marks.insert(name) }
            }
        }
        return marks
    }

    private func write(_ segment: HistorySegment, _ number: Int64, from start: Int) throws {
        var types: [SQLBulkType] = [.integer, .integer, .text, .bytes, .integer, .text]
        var columns = ["transaction_number", "position", "entity", "keys", "kind", "properties"]
        if !segment.tombstones.isEmpty {
            types.append(.bytes)
            columns.append("tombstone")
        }
        let statement = SQLBulkBuilder(connection.dialect, types).insert(into: SystemTables.change, columns)
        var names: [PropertySet: String] = [:]
        let texts: [String] = segment.properties.map { set in
            if let text = names[set] { return text }
            let text = set.slots.map { segment.entity.properties[$0].name }.joined(separator: ",")
            names[set] = text
            return text
        }
        let entityName = segment.entity.name
        let rows = rows(of: segment)
        try connection.runEach(statement, count: rows.count) { run, parameters in
            let first = rows[run].lowerBound
            parameters.bind(number, at: 1)
            parameters.bind(Int64(start + first), at: 2)
            parameters.bind(entityName, at: 3)
            parameters.bind(ObjectKey.bytes(segment.keys[rows[run]]), at: 4)
            parameters.bind(segment.kind.rawValue, at: 5)
            parameters.bind(texts.isEmpty ? nil : texts[first] as String?, at: 6)
            if !segment.tombstones.isEmpty { parameters.bind(segment.tombstones[first], at: 7) }
        } done: { _, _ in
        }
    }

    /// The most objects in a history row. The keys and the rest of the row then fit into a page's share of a tree (a
    /// quarter of 4 KiB).
    private static let objectsPerRow = 56

    /// The ranges of objects that share a row: neighbours with the same change.
    private func rows(of segment: HistorySegment) -> [Range<Int>] {
        let longest = segment.tombstones.isEmpty ? Self.objectsPerRow : 1
        var rows: [Range<Int>] = []
        var start = 0
        for index in segment.keys.indices {
            let end = index + 1
            let isLast =
                end == segment.keys.count || end - start == longest
                || !segment.properties.isEmpty && segment.properties[end] != segment.properties[start]
            guard isLast else { continue }
            rows.append(start..<end)
            start = end
        }
        return rows
    }

    private func number(_ text: String) throws -> Int64 {
        var number: Int64?
        try connection.forEachRow(of: SQLStatement(connection.dialect, text)) { number = $0.int(0) }
        if let number { return number }
        throw BackstitchError(
            .storeFailure, "the store's transaction counter is gone; restore the store from a backup")
    }
}
