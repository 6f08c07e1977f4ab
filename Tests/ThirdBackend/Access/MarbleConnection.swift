import Backstitch
import BackstitchSQL
import GRDBSQLite

/// A connection to a file. Each statement is prepared for its run: plain, and slow enough.
final class MarbleConnection: SQLConnection, @unchecked Sendable {  // One request at a time has it.
    private let handle: OpaquePointer

    var dialect: any SQLDialect { MarbleDialect() }

    init(_ path: String, isReadOnly: Bool) throws {
        var handle: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw MarbleFailure(code: code, message: "no connection")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 20_000)
        try MarbleFunctions.register(on: handle)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ text: String) throws { try run(SQLStatement(dialect, text)) }

    /// Runs `body` in a transaction, which is undone if it throws.
    func transaction<Result>(_ beginning: String, _ body: () throws -> Result) throws -> Result {
        try run(beginning)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    @discardableResult
    func run(_ statement: SQLStatement) throws -> Int { try prepared(statement).runOnce() }

    func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws {
        let row = try prepared(statement)
        while try row.step() { try body(row) }
    }

    func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool
    ) throws {
        let row = try prepared(statement)
        while try row.step(), try body(row) {}
    }

    func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void
    ) throws {
        if count == 0 { return }
        let prepared = try MarbleStatement(statement.text, on: handle)
        for run in 0..<count {
            bind(run, prepared)
            done(run, try prepared.runOnce())
        }
    }

    func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?,
        done: (_ row: Int, _ changedRows: Int) -> Void
    ) throws {
        if rows.count == 0 { return }
        let prepared = try MarbleStatement(statement.bulk.text, on: handle)
        for row in positions ?? Array(0..<rows.count) {
            for (index, parameter) in statement.parameters.enumerated() {
                switch parameter {
                case .key: prepared.bind(rows.keys[row], at: index + 1)
                case .version: prepared.bind(rows.versions[row], at: index + 1)
                case .cell(let column): prepared.bind(rows.value(row, column), at: index + 1)
                }
            }
            done(row, try prepared.runOnce())
        }
    }

    func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?
    ) throws {
        let row = try prepared(statement)
        while try row.step() {
            if try isWanted?(row) ?? true { try row.append(entity, from: firstColumn, to: &builder) }
        }
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        let row = try prepared(statement)
        var isAtEnd = false
        while !isAtEnd {
            var builder = RowBatchBuilder(entity: entity)
            while !isAtEnd, builder.count < size {
                if try row.step() { try row.append(entity, from: 0, to: &builder) } else { isAtEnd = true }
            }
            let batch = builder.finish()
            if batch.count > 0 { try body(batch) }
        }
    }

    private func prepared(_ statement: SQLStatement) throws -> MarbleStatement {
        let prepared = try MarbleStatement(statement.text, on: handle)
        for (index, parameter) in statement.parameters.enumerated() {
            switch parameter {
            case .key(let key): prepared.bind(key, at: index + 1)
            case .value(let value): prepared.bind(value, at: index + 1)
            case .keys(let keys): prepared.bind(keys.flatMap { $0.withBytes { Array($0) } }, at: index + 1)
            }
        }
        return prepared
    }
}
