import Backstitch

/// Writes the rows of a save, and notes conflicts with the stored rows.
struct RowWriter {
    private let connection: any SQLConnection
    private let statements: ModelStatements
    private(set) var conflicts = SaveConflicts()

    init(_ connection: any SQLConnection, _ statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    /// Inserts rows; a row whose key exists is a conflict.
    mutating func insert(_ rows: RowBatch) throws {
        var clashes: [Int] = []
        try connection.runEach(statements.writing(rows.entity).insert, rows: rows, positions: nil) { row, changed in
            if changed == 0 { clashes.append(row) }
        }
        for row in clashes { conflicts.exists(rows.entity, rows.keys[row]) }
    }

    /// Writes the changed columns of rows; a row of another version is a conflict.
    mutating func update(_ update: RowUpdate) throws {
        guard update.rows.count == update.changed.count, update.rows.count == update.originals.count else {
            throw BackstitchError(
                .internalInconsistency,
                "an update of \(update.rows.entity.name) has \(update.rows.count) rows, "
                    + "\(update.originals.count) originals and "
                    + "\(update.changed.count) sets of changed columns")
        }
        let statements = statements.writing(update.rows.entity)
        for (set, positions) in Self.groups(update.changed) {
            let columns = set.slots.filter { $0 < update.rows.entity.columnCount }
            try runChecked(statements.update(columns), update.rows, positions)
        }
    }

    /// Deletes rows; a row of another version is a conflict.
    mutating func delete(_ rows: RowBatch) throws {
        try runChecked(statements.writing(rows.entity).deleteUnchanged, rows, nil)
    }

    /// Runs a statement that changes a row only in its expected version.
    private mutating func runChecked(_ statement: SQLRowStatement, _ rows: RowBatch, _ positions: [Int]?) throws {
        var stale: [Int] = []
        try connection.runEach(statement, rows: rows, positions: positions) { row, changed in
            if changed == 0 { stale.append(row) }
        }
        for row in stale { conflicts.stale(rows.entity, rows.keys[row], version: rows.versions[row]) }
    }

    /// Groups rows with the same changed columns, because one statement writes them. Nil positions mean all rows.
    private static func groups(_ changed: [PropertySet]) -> [(PropertySet, [Int]?)] {
        guard let first = changed.first else { return [] }
        if changed.allSatisfy({ $0 == first }) { return [(first, nil)] }
        var order: [PropertySet] = []
        var positions: [PropertySet: [Int]] = [:]
        for (row, set) in changed.enumerated() {
            if positions[set] == nil { order.append(set) }
            positions[set, default: []].append(row)
        }
        return order.map { ($0, positions[$0]) }
    }
}
