import Backstitch
import BackstitchSQL

/// A connection of a ``RecordingDatabase``.
final class RecordingConnection: SQLConnection {
    private let base: any SQLConnection
    private let recorder: StatementRecorder

    init(_ base: any SQLConnection, _ recorder: StatementRecorder) {
        self.base = base
        self.recorder = recorder
    }

    var dialect: any SQLDialect { base.dialect }

    @discardableResult
    func run(_ statement: SQLStatement) throws -> Int {
        recorder.note(statement)
        let changed = try base.run(statement)
        recorder.noteChanges(changed)
        return changed
    }

    func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws {
        recorder.note(statement)
        try base.forEachRow(of: statement) { row in
            recorder.noteRow()
            try body(row)
        }
    }

    func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool
    ) throws {
        recorder.note(statement)
        try base.forEachRow(of: statement, inPortionsOf: size) { row in
            recorder.noteRow()
            return try body(row)
        }
    }

    func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void
    ) throws {
        recorder.note(statement, dialect)
        // PostgreSQL does not tell the changed rows of each run.
        var changed = 0
        try base.runEach(statement, count: count, bind: bind) { run, rows in
            changed += rows
            done(run, rows)
        }
        recorder.noteChanges(max(changed, count))
    }

    func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?, done: (_ row: Int, _ changedRows: Int) -> Void
    ) throws {
        recorder.note(statement.bulk, dialect)
        try base.runEach(statement, rows: rows, positions: positions, done: done)
    }

    func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?
    ) throws {
        recorder.note(statement)
        try base.appendRows(of: statement, entity: entity, firstColumn: firstColumn, to: &builder, where: isWanted)
    }
}
