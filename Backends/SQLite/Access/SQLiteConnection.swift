package import Backstitch
package import BackstitchSQL
import GRDB
import GRDBSQLite

/// A connection of a SQLite store, lent for one request.
package final class SQLiteConnection: SQLConnection {
    let source: any StatementSource
    private let admission: StatementCachePolicy
    private let counter: StatementCounter

    package var dialect: any SQLDialect { SQLiteDialect() }

    init(
        _ source: any StatementSource, admission: StatementCachePolicy, counter: StatementCounter = StatementCounter()
    ) {
        self.source = source
        self.admission = admission
        self.counter = counter
    }

    @discardableResult
    package func run(_ statement: SQLStatement) throws -> Int {
        try use(statement) { try $0.runOnce() }
    }

    package func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws {
        try use(statement) { prepared in
            let row = SQLiteRow(prepared)
            while try prepared.step() { try body(row) }
        }
    }

    package func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool
    ) throws {
        try use(statement) { prepared in
            let row = SQLiteRow(prepared)
            while try prepared.step(), try body(row) {}
        }
    }

    package func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void
    ) throws {
        guard count > 0 else { return }
        counter.count()
        try source.use(statement.text, stays: true) { prepared in
            let binder = SQLiteBinder(prepared)
            try withExtendedLifetime(binder) {
                for run in 0..<count {
                    bind(run, binder)
                    try binder.check()
                    done(run, try prepared.runOnce())
                }
            }
        }
    }

    package func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?,
        done: (_ row: Int, _ changedRows: Int) -> Void
    ) throws {
        guard rows.count > 0 else { return }
        counter.count()
        try source.use(statement.bulk.text, stays: true) { prepared in
            let binder = SQLiteBinder(prepared)
            let rowBinder = SQLiteRowBinder(rows, statement.parameters, binder)
            try withExtendedLifetime(binder) {
                try rows.withArena { arena in
                    for index in 0..<(positions?.count ?? rows.count) {
                        let row = positions?[index] ?? index
                        rowBinder.bind(row, arena: arena)
                        try binder.check()
                        done(row, try prepared.runOnce())
                    }
                }
            }
        }
    }

    package func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?
    ) throws {
        let decoder = SQLiteRowDecoder(entity, firstColumn: firstColumn)
        try use(statement) { prepared in
            guard let isWanted else {
                while try prepared.step() { try decoder.append(prepared.pointer, to: &builder) }
                return
            }
            let row = SQLiteRow(prepared)
            while try prepared.step() {
                if try isWanted(row) { try decoder.append(prepared.pointer, to: &builder) }
            }
        }
    }

    package func appendValues(
        of statement: SQLStatement, results: ResolvedEntity, to builder: inout RowBatchBuilder
    ) throws {
        let decoder = SQLiteRowDecoder(results, firstColumn: 0)
        try use(statement) { prepared in
            while try prepared.step() { try decoder.appendValues(prepared.pointer, to: &builder) }
        }
    }

    /// Runs `body` with the statement prepared and its parameters bound.
    private func use<Result>(_ statement: SQLStatement, _ body: (PreparedStatement) throws -> Result) throws -> Result {
        counter.count()
        let stays = !statement.isAdHoc || admission.admits(statement.text)
        return try source.use(statement.text, stays: stays) { prepared in
            let binder = SQLiteBinder(prepared)
            return try withExtendedLifetime(binder) {
                for (index, parameter) in statement.parameters.enumerated() { binder.bind(parameter, at: index + 1) }
                try binder.check()
                return try body(prepared)
            }
        }
    }
}
