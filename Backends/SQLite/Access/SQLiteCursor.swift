import Backstitch
import BackstitchSQL
import GRDB

/// A query whose rows are read in batches. Between two batches the connection's thread can do other work.
final class SQLiteCursor {
    private let statement: Statement
    private let prepared: PreparedStatement
    /// Holds the bytes of bound keys until the end of the query.
    private let binder: SQLiteBinder
    private let decoder: SQLiteRowDecoder
    private let entity: ResolvedEntity
    private var isAtEnd = false

    /// The size of a batch's texts and bytes, about: 64 MiB.
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

    /// The next rows, up to `size`; nil after the last row.
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
