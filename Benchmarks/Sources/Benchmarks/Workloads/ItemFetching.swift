import Backstitch
import GRDB
import Harness

/// Fetches of 200,000 rows of ten integers: as objects, as identities, and as dictionaries.
enum ItemFetching {
    static let benchmarks = [objects, identities, dictionaries]

    private static let objects = Benchmark(
        name: "fetch.items", summary: "fetch 200,000 x 10 integers as managed objects, read every value", rounds: 9
    ) { stage in
        let items = ItemCells(stage.rows(200_000))
        let store = try stored(items, stage)
        let pool = try stage.grdb("grdb.sqlite")
        try writeSync(pool) { try $0.execute(sql: ItemCells.table) }
        try CDatabase(stage.path("grdb.sqlite"))
            .insert(items, keys: nil, "INSERT INTO item VALUES (?,?,?,?,?,?,?,?,?,?)")
        let c = try CDatabase(stage.path("ours.sqlite"))
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let sum = try stopwatch.measure {
                    try context.fetch(FetchRequest<Item>()).reduce(0) { $0 &+ $1.sum }
                }
                try expect(Int64(sum), items.sum, "sum")
            },
            records(ItemRecord.self, \.sum, "GRDB records", target: 1, pool, items),
            records(PositionalItemRecord.self, \.sum, "GRDB records by position", pool, items),
            records(CodableItemRecord.self, \.sum, "GRDB Codable", pool, items),
            .peer("SQLite in C") { stopwatch in
                let sum = try stopwatch.measure {
                    try c.fetchIntegers("SELECT \(ItemCells.columns) FROM \"Item\"", columns: 10, rows: items.count)
                }
                try expect(sum, items.sum, "sum")
            },
        ]
    }

    private static let identities = Benchmark(
        name: "fetch.ids", summary: "fetch the identities of 200,000 rows", rounds: 9
    ) { stage in
        let items = ItemCells(stage.rows(200_000))
        let store = try stored(items, stage)
        let c = try CDatabase(stage.path("ours.sqlite"))
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let ids = try stopwatch.measure { try context.fetchObjectIDs(FetchRequest<Item>()) }
                try expect(ids.count, items.count, "identities")
            },
            .peer("SQLite in C", target: 1.3) { stopwatch in
                let count = try stopwatch.measure { try c.fetch("SELECT _id FROM \"Item\" ORDER BY _id") }
                try expect(count, items.count, "keys")
            },
        ]
    }

    private static let dictionaries = Benchmark(
        name: "fetch.dictionaries", summary: "fetch 200,000 x 10 integers as dictionaries, read every value", rounds: 9
    ) { stage in
        let items = ItemCells(stage.rows(200_000))
        let store = try stored(items, stage)
        let c = try CDatabase(stage.path("ours.sqlite"))
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let request = DictionaryFetchRequest(
                    entityName: "Item", ItemCells.names.map { DictionaryColumn.key($0) })
                let sum = try stopwatch.measure {
                    try context.fetch(request).reduce(0 as Int64) { sum, row in
                        row.values.reduce(sum) { if case .int(let number) = $1 { $0 &+ number } else { $0 } }
                    }
                }
                try expect(sum, items.sum, "sum")
            },
            .peer("SQLite in C", target: 1.3) { stopwatch in
                let sum = try stopwatch.measure {
                    try c.fetchIntegers("SELECT \(ItemCells.columns) FROM \"Item\"", columns: 10, rows: items.count)
                }
                try expect(sum, items.sum, "sum")
            },
        ]
    }

    private static func stored(_ items: ItemCells, _ stage: Stage) throws -> PersistentStoreCoordinator {
        let store = try stage.sqlite(.items, "ours.sqlite")
        try ManagedObjectContext(coordinator: store).insert(items)
        return store
    }

    private static func records<Record: FetchableRecord & TableRecord>(
        _ type: Record.Type, _ sum: KeyPath<Record, Int>, _ name: String, target: Double? = nil, _ pool: DatabasePool,
        _ items: ItemCells
    ) -> Side {
        .peer(name, target: target) { stopwatch in
            let total = try stopwatch.measure {
                try readSync(pool) { try Record.fetchAll($0).reduce(0) { $0 &+ $1[keyPath: sum] } }
            }
            try expect(Int64(total), items.sum, "sum")
        }
    }
}

/// Reads on the calling thread, as Backstitch's contexts do.
func readSync<Result>(_ pool: some DatabaseReader, _ body: (Database) throws -> Result) throws -> Result {
    try pool.read(body)
}

/// Writes on the calling thread.
func writeSync<Result>(_ pool: some DatabaseWriter, _ body: (Database) throws -> Result) throws -> Result {
    try pool.write(body)
}
