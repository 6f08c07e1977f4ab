package import Backstitch
package import BackstitchSQL

extension PostgreSQLConnection {
    /// The number of runs in one statement. It is large enough to make the statement's cost small, and small enough
    /// that the server works while the next runs are encoded.
    private static let runsPerStatement = 5000
    /// The size of one statement's parameters, about: 16 MiB.
    private static let bytesPerStatement = 16 << 20

    /// Runs a statement for many sets of parameters, up to 5,000 in one statement. Full queues are sent before the next
    /// sets are encoded.
    package func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void
    ) throws {
        var parts: [BulkBinder] = []
        var results: [PostgreSQLResult] = []
        var run = 0
        while run < count {
            let binder = BulkBinder(statement, first: run)
            while run < count, binder.count < Self.runsPerStatement, binder.byteCount < Self.bytesPerStatement {
                binder.begin()
                bind(run, binder)
                run += 1
            }
            try enqueue(statement.text, binder.parameters(), stays: true, isWanted: true)
            parts.append(binder)
            if isQueueFull { results += try finish() }
        }
        if !parts.isEmpty { results += try finish() }
        for (part, result) in zip(parts, results) where !statement.returned.isEmpty {
            let changed = try ChangedRuns(result, statement, count: part.count) { run, position in
                part.key(run, position)
            }
            for index in 0..<part.count { done(part.first + index, changed.contains(index) ? 1 : 0) }
        }
    }

    /// Runs a statement for rows of a batch. For many rows within a transaction, it first assumes that none is in
    /// conflict, and repeats the statement with checks if one is.
    package func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?,
        done: (_ row: Int, _ changedRows: Int) -> Void
    ) throws {
        let positions = positions ?? Array(0..<rows.count)
        if let unopposed = statement.unopposed, positions.count >= Self.fewestUnopposed, isInTransaction,
            try runUnopposed(unopposed, statement, rows, positions)
        {
            for row in positions { done(row, 1) }
            return
        }
        let (parts, results) = try run(statement.bulk, statement.parameters, rows, positions)
        for (part, result) in zip(parts, results) {
            let changed = try ChangedRuns(result, statement.bulk, count: part.count) { index, _ in
                rows.keys[part[part.startIndex + index]]
            }
            for (index, row) in part.enumerated() { done(row, changed.contains(index) ? 1 : 0) }
        }
    }

    /// From this number of rows on, it is quicker to assume that none is in conflict.
    private static let fewestUnopposed = 100
    /// From this number of rows on, it is quicker to stop the pipeline for a `COPY`.
    private static let fewestCopied = 500

    /// Runs a statement for rows, some thousand at a time. Returns the rows of each run, and the runs' results.
    private func run(
        _ statement: SQLBulkStatement, _ columns: [SQLRowParameter], _ rows: RowBatch, _ positions: [Int]
    ) throws -> (parts: [ArraySlice<Int>], results: [PostgreSQLResult]) {
        var parts: [ArraySlice<Int>] = []
        var results: [PostgreSQLResult] = []
        var rest = positions[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.partLength(rest.count, rows))
            rest = rest.dropFirst(part.count)
            var parameters = StatementParameters(capacity: part.count * 20 * columns.count)
            let writer = ColumnWriter(rows, Array(part))
            for column in columns { try writer.append(column, to: &parameters) }
            try enqueue(statement.text, parameters, stays: true, isWanted: true)
            parts.append(part)
            if isQueueFull { results += try finish() }
        }
        if !parts.isEmpty { results += try finish() }
        return (parts, results)
    }

    /// Runs a statement that fails, or writes fewer rows, if one of them is in conflict. All of it is then undone. The
    /// other statement checks each row. For PostgreSQL the check takes as long as the insert itself, or a fifth of the
    /// time of an update.
    ///
    /// - Returns: Whether all rows were written.
    private func runUnopposed(
        _ unopposed: SQLBulkStatement, _ statement: SQLRowStatement, _ rows: RowBatch, _ positions: [Int]
    ) throws -> Bool {
        try enqueue(SQLStatement(.postgreSQL, "SAVEPOINT backstitch_rows"), isWanted: false)
        var written: Int
        do {
            if let copy = statement.copy, positions.count >= Self.fewestCopied {
                try self.copy(copy, rows, positions)
                written = positions.count
            } else {
                let (_, results) = try run(unopposed, statement.parameters, rows, positions)
                written = results.reduce(0) { $0 + $1.changedRows }
            }
        } catch let failure as PostgreSQLFailure where failure.isDuplicate {
            written = 0
        }
        let isWhole = written == positions.count
        let ending = isWhole ? "RELEASE" : "ROLLBACK TO"
        try enqueue(SQLStatement(.postgreSQL, "\(ending) SAVEPOINT backstitch_rows"), isWanted: false)
        return isWhole
    }

    /// The number of rows for one statement, by the mean size of the batch's rows. There are at most `count` rows.
    private static func partLength(_ count: Int, _ rows: RowBatch) -> Int {
        let bytes = rows.withArena(\.count) / max(1, rows.count)
        return max(1, min(count, runsPerStatement, bytesPerStatement / max(1, bytes)))
    }
}

/// The runs of a bulk statement that changed a row, found by the returned keys.
private struct ChangedRuns {
    /// All runs, or some of them by their positions.
    private enum Changed {
        case all
        case runs(Set<Int>)
    }
    private let changed: Changed

    init(
        _ result: PostgreSQLResult, _ statement: SQLBulkStatement, count: Int,
        key: (_ run: Int, _ parameter: Int) -> ObjectKey
    ) throws {
        guard result.rowCount != count else {
            changed = .all
            return
        }
        let row = PostgreSQLRow(result)
        var returned: Set<[ObjectKey]> = []
        for index in 0..<result.rowCount {
            row.index = index
            returned.insert(try statement.returned.indices.map { try row.key($0) })
        }
        changed = .runs(Set((0..<count).filter { run in returned.contains(statement.returned.map { key(run, $0) }) }))
    }

    func contains(_ run: Int) -> Bool {
        switch changed {
        case .all: true
        case .runs(let runs): runs.contains(run)
        }
    }
}
