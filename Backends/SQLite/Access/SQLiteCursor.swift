import Backstitch
import BackstitchSQL
import GRDB

/// A query that is read batch by batch, with others' work on the connection's thread in between.
final class SQLiteCursor {
    private let statement: Statement
    private let prepared: PreparedStatement
    /// Holds the bytes of bound keys.
    private let binder: SQLiteBinder
    private let decoder: SQLiteRowDecoder
    private let entity: ResolvedEntity
    private var isAtEnd = false

    /// How many bytes of text and bytes a batch takes, about.
    private static let maximumArena = 64 << 20

    init(_ query: SQLStatement, entity: ResolvedEntity, on database: Database) throws {
        self.entity = entity
        decoder = SQLiteRowDecoder(entity, firstColumn: 0)
        statement = try database.makeStatement(sql: query.text)
        prepared = PreparedStatement(statement, on: database)
        binder = SQLiteBinder(prepared)
        for (index, parameter) in query.parameters.enumerated() { binder.bind(parameter, at: index + 1) }
        try binder.check()
    }

    /// The next rows, up to `size`; nil behind the last.
    func next(_ size: Int) throws -> RowBatch? {
        if isAtEnd { return nil }
        var builder = RowBatchBuilder(entity: entity, capacity: min(size, 10_000))
        while builder.count < size, builder.arenaSize < Self.maximumArena {
            guard try prepared.step() else {
                isAtEnd = true
                break
            }
            try decoder.append(prepared.pointer, to: &builder)
        }
        let batch = builder.finish()
        return batch.count == 0 ? nil : batch
    }
}
