import Backstitch
import BackstitchSQL

extension PostgreSQLConnection {
    /// How many runs one statement takes: enough to make its cost small, few enough that the server works while we encode.
    private static let runsPerStatement = 5000
    /// How many bytes one statement takes, about.
    private static let bytesPerStatement = 16 << 20

    func runEach(
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

    func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?,
        done: (_ row: Int, _ changedRows: Int) -> Void
    ) throws {
        let positions = positions ?? Array(0..<rows.count)
        var parts: [ArraySlice<Int>] = []
        var results: [PostgreSQLResult] = []
        var rest = positions[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.partLength(rest.count, rows))
            rest = rest.dropFirst(part.count)
            var parameters = StatementParameters(capacity: part.count * 20 * statement.parameters.count)
            let writer = ColumnWriter(rows, Array(part))
            for parameter in statement.parameters { try writer.append(parameter, to: &parameters) }
            try enqueue(statement.bulk.text, parameters, stays: true, isWanted: true)
            parts.append(part)
            if isQueueFull { results += try finish() }
        }
        if !parts.isEmpty { results += try finish() }
        for (part, result) in zip(parts, results) {
            let changed = try ChangedRuns(result, statement.bulk, count: part.count) { index, _ in
                rows.keys[part[part.startIndex + index]]
            }
            for (index, row) in part.enumerated() { done(row, changed.contains(index) ? 1 : 0) }
        }
    }

    /// How many of `count` rows one statement takes, by the mean size of the batch's.
    private static func partLength(_ count: Int, _ rows: RowBatch) -> Int {
        let bytes = rows.withArena(\.count) / max(1, rows.count)
        return max(1, min(count, runsPerStatement, bytesPerStatement / max(1, bytes)))
    }
}

/// Which runs of a bulk statement changed a row, by the keys that it returned.
private struct ChangedRuns {
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
