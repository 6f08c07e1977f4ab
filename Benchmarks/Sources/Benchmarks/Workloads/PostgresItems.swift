import Backstitch
import BackstitchPostgreSQL
import Harness

/// PostgreSQL: rows of ten integers are read and written, compared with plain libpq.
enum PostgresItems {
    static let benchmarks = [fetching, inserting, updating]

    private static let fetching = Benchmark(
        name: "postgres.fetch", summary: "PostgreSQL: fetch 200,000 x 10 bigint as managed objects, read every value",
        rounds: 9
    ) { stage in
        let items = ItemCells(stage.rows(200_000))
        let (store, c) = try fresh()
        try ManagedObjectContext(coordinator: store).insert(items)
        try c.run("ANALYZE")
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let sum = try stopwatch.measure {
                    try context.fetch(FetchRequest<Item>()).reduce(0) { $0 &+ $1.sum }
                }
                try expect(Int64(sum), items.sum, "sum")
            },
            .peer("libpq in C, binary", target: 1.5) { stopwatch in
                let sum = try stopwatch.measure {
                    try c.fetchIntegers(
                        "SELECT \(ItemCells.columns) FROM backstitch.\"Item\"", columns: 10, rows: items.count)
                }
                try expect(sum, items.sum, "sum")
            },
        ]
    }

    private static let inserting = Benchmark(
        name: "postgres.insert", summary: "PostgreSQL: make 50,000 x 10 managed objects, one save, history kept",
        rounds: 7
    ) { stage in
        let items = ItemCells(stage.rows(50_000))
        let keys = risingKeys(items.count)
        let (store, c) = try fresh()
        try c.run("CREATE TABLE IF NOT EXISTS public.item (LIKE backstitch.\"Item\" INCLUDING ALL)")
        return [
            .ours { stopwatch in
                try c.run(
                    "TRUNCATE backstitch.\"Item\", backstitch.backstitch_change, backstitch.backstitch_transaction")
                let context = ManagedObjectContext(coordinator: store)
                try stopwatch.measure {
                    for row in 0..<items.count { fill(Item(context: context), items[row]) }
                    try context.save()
                }
            },
            .peer("COPY by libpq in C", target: 2) { stopwatch in
                try c.run("TRUNCATE public.item")
                try stopwatch.measure { try c.copy(items, keys: keys, "COPY public.item FROM STDIN (FORMAT binary)") }
            },
        ]
    }

    private static let updating = Benchmark(
        name: "postgres.update", summary: "PostgreSQL: change 10,000 fetched objects, one save, history kept", rounds: 9
    ) { stage in
        let items = ItemCells(stage.rows(10_000))
        let (store, c) = try fresh()
        try ManagedObjectContext(coordinator: store).insert(items)
        try c.run("ANALYZE")
        var number = 0
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let objects = try context.fetch(FetchRequest<Item>())
                // Each round needs new values, unlike those left by the peer: equal values are not written.
                number += 1_000_000
                try stopwatch.measure {
                    for item in objects { item.i3 = number }
                    try context.save()
                }
            },
            .limit("100,000 rows/s", seconds: Double(items.count) / 100_000),
            // The least possible work of the server: one statement, no comparison of versions, no history.
            .peer("one UPDATE by libpq in C") { stopwatch in
                try stopwatch.measure {
                    try c.run("UPDATE backstitch.\"Item\" SET i3 = i3 + 1, _version = _version + 1")
                }
            },
        ]
    }

    private static func fill(_ item: Item, _ cells: ArraySlice<Int64>) { ItemInserting.fill(item, cells) }

    /// Makes a store in a new schema, and a plain connection to the same database.
    private static func fresh() throws -> (PersistentStoreCoordinator, CPostgres) {
        let server = try PostgresServer.shared.get()
        let c = try CPostgres(server.address)
        try c.run("DROP SCHEMA IF EXISTS backstitch CASCADE")
        try c.run("DROP TABLE IF EXISTS public.item")
        let store = try PersistentStoreCoordinator(
            model: .items, store: PersistentStoreDescription(type: .postgreSQL, url: server.url))
        return (store, c)
    }
}
