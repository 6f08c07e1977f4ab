import BackstitchSQL

/// Carries the rows of all tables from one database to another. The other one has the same tables, and only the rows
/// written by steps of the schema.
///
/// The databases themselves list their tables, so a table added by a version is carried as well. Rows are read through
/// a cursor, and written in batches of 500 rows or 4 MiB.
struct TableTransfer {
    let source: any SQLConnection
    let target: any SQLConnection

    private static let rows = 500
    private static let bytes = 4 << 20

    /// A value between the two databases.
    private enum Cell {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case null
    }

    /// Carries all tables, within a snapshot of the source and a transaction of the target.
    ///
    /// - Returns: The number of rows of each table.
    /// - Throws: ``ZoneServerError`` if the target has no place for something of the source.
    func run() throws -> [String: Int] {
        var tables = Dictionary(
            uniqueKeysWithValues: try source.describeTables().filter { !MaintainedStorage.apart.contains($0.name) }
                .map { ($0.name, $0) })
        var counts: [String: Int] = [:]
        // The order is the target's, since the databases do not check the same references.
        let places = try target.describeTables()
        // Rows written by steps of the schema are in the source as well.
        for place in places.reversed() where tables[place.name] != nil {
            try target.run(SQLStatement(target.dialect, "DELETE FROM \(SQLNames.quoted(place.name))"))
        }
        for place in places {
            guard let table = tables.removeValue(forKey: place.name) else { continue }
            counts[table.name] = try carry(
                table, to: Dictionary(uniqueKeysWithValues: place.columns.map { ($0.name, $0.kind) }))
        }
        if let table = tables.keys.min() { throw Self.noPlace(for: "table \(table)") }
        try target.renumber()
        return counts
    }

    private func carry(
        _ table: SQLTableDescription, to place: [String: SQLTableDescription.Kind?]
    ) throws -> Int {
        let columns = try table.columns.filter { column in
            guard column.kind != nil else { throw Self.noPlace(for: "type of column \(table.name).\(column.name)") }
            if place[column.name] != nil { return true }
            // Servers of a shared database count removals in this column. It means nothing elsewhere.
            guard table.name == "tenant", column.name == "removals" else {
                throw Self.noPlace(for: "column \(table.name).\(column.name)")
            }
            return false
        }
        let insertion = insertion(into: table.name, columns, place)
        var batch: [[Cell]] = [], bytes = 0, count = 0
        func flush() throws {
            guard !batch.isEmpty else { return }
            try target.runEach(insertion, count: batch.count) { row, parameters in
                for (index, cell) in batch[row].enumerated() { Self.bind(cell, parameters, at: index + 1) }
            } done: { _, _ in
            }
            count += batch.count
            batch.removeAll(keepingCapacity: true)
            bytes = 0
        }
        let query = SQLStatement(source.dialect, selection(table.name, columns))
        try source.forEachRow(of: query, inPortionsOf: Self.rows) { row in
            let cells = columns.enumerated().map { Self.cell(row, $0.offset, $0.element) }
            bytes += cells.reduce(0) { $0 + Self.size($1) }
            batch.append(cells)
            if batch.count == Self.rows || bytes >= Self.bytes { try flush() }
            return true
        }
        try flush()
        return count
    }

    /// Truth values travel as 0 and 1, since both kinds of databases can write these.
    private func selection(_ table: String, _ columns: [SQLTableDescription.Column]) -> String {
        let values = columns.map { column in
            let name = SQLNames.quoted(column.name)
            return column.kind == .flag ? "CASE WHEN \(name) THEN 1 ELSE 0 END" : name
        }
        return "SELECT \(values.joined(separator: ", ")) FROM \(SQLNames.quoted(table))"
    }

    private func insertion(
        into table: String, _ columns: [SQLTableDescription.Column], _ place: [String: SQLTableDescription.Kind?]
    ) -> SQLBulkStatement {
        let builder = SQLBulkBuilder(
            target.dialect,
            columns.map { column in
                switch column.kind {
                case .text: .text
                case .bytes: .bytes
                case .integer, .flag, nil: .integer
                }
            })
        let values = columns.enumerated().map { index, column in
            place[column.name] == .some(.flag) ? "\(builder.value(index)) <> 0" : builder.value(index)
        }
        return builder.insert(into: SQLNames.quoted(table), columns.map { SQLNames.quoted($0.name) }, values: values)
    }

    private static func cell(_ row: any SQLRow, _ index: Int, _ column: SQLTableDescription.Column) -> Cell {
        if row.isNull(index) { return .null }
        return switch column.kind {
        case .text: .text(row.text(index))
        case .bytes: .bytes(row.bytes(index))
        case .integer, .flag, nil: .integer(row.int(index))
        }
    }

    private static func bind(_ cell: Cell, _ parameters: any SQLBinder, at position: Int) {
        switch cell {
        case .integer(let value): parameters.bind(value, at: position)
        case .text(let value): parameters.bind(value, at: position)
        case .bytes(let value): parameters.bind(value, at: position)
        case .null: parameters.bind(nil as String?, at: position)
        }
    }

    private static func size(_ cell: Cell) -> Int {
        switch cell {
        case .integer, .null: 8
        case .text(let text): text.utf8.count + 8
        case .bytes(let bytes): bytes.count + 8
        }
    }

    private static func noPlace(for thing: String) -> ZoneServerError {
        ZoneServerError(
            .storageFormat,
            "the new storage has no place for the \(thing), and would lose it; use the same version for both")
    }
}
