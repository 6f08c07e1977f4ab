import Backstitch
import GRDB
import Harness

/// Inserts of 50,000 rows of ten integers into a new store, in one transaction. Every side uses WAL and `synchronous =
/// NORMAL`.
enum ItemInserting {
    static let benchmarks = [objects, batch]

    private static let objects = Benchmark(
        name: "insert.items", summary: "make 50,000 x 10 integers as managed objects, one save, history kept", rounds: 7
    ) { stage in
        let items = ItemCells(stage.rows(50_000))
        return [
            .ours { stopwatch in
                let store = try fresh(stage)
                let context = ManagedObjectContext(coordinator: store)
                try stopwatch.measure {
                    for row in 0..<items.count { fill(Item(context: context), items[row]) }
                    try context.save()
                }
                try check(context, items)
                try store.closeStores()
            },
            .peer("GRDB records", target: 0.7) { stopwatch in
                let pool = try peerPool(stage)
                try stopwatch.measure {
                    try writeSync(pool) { database in
                        for row in 0..<items.count { try ItemRecord(items[row]).insert(database) }
                    }
                }
                try pool.close()
            },
            inC(stage, items),
        ]
    }

    private static let batch = Benchmark(
        name: "insert.batch", summary: "insert 50,000 x 10 integers by a batch request, history kept", rounds: 7
    ) { stage in
        let items = ItemCells(stage.rows(50_000))
        let keys = risingKeys(items.count)
        return [
            .ours { stopwatch in
                let store = try fresh(stage)
                let context = ManagedObjectContext(coordinator: store)
                try stopwatch.measure { try context.insert(items) }
                try check(context, items)
                try store.closeStores()
            },
            .peer("SQLite in C, same table", target: 2) { stopwatch in
                stage.remove("c.sqlite")
                let c = try CDatabase(stage.path("c.sqlite"))
                let columns = ItemCells.names.map { "\($0) INTEGER" }.joined(separator: ", ")
                try c.run(
                    "CREATE TABLE item (_id BLOB NOT NULL PRIMARY KEY, _version INTEGER NOT NULL, \(columns)) "
                        + "WITHOUT ROWID")
                try stopwatch.measure {
                    try c.insert(items, keys: keys, "INSERT INTO item VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
                }
            },
            inC(stage, items),
        ]
    }

    static func fill(_ item: Item, _ cells: ArraySlice<Int64>) {
        let first = cells.startIndex
        item.i0 = Int(cells[first])
        item.i1 = Int(cells[first + 1])
        item.i2 = Int(cells[first + 2])
        item.i3 = Int(cells[first + 3])
        item.i4 = Int(cells[first + 4])
        item.i5 = Int(cells[first + 5])
        item.i6 = Int(cells[first + 6])
        item.i7 = Int(cells[first + 7])
        item.i8 = Int(cells[first + 8])
        item.i9 = Int(cells[first + 9])
    }

    private static func fresh(_ stage: Stage) throws -> PersistentStoreCoordinator {
        stage.remove("ours.sqlite")
        return try stage.sqlite(.items, "ours.sqlite")
    }

    private static func check(_ context: ManagedObjectContext, _ items: ItemCells) throws {
        try expect(context.count(for: FetchRequest<Item>()), items.count, "objects")
    }

    private static func peerPool(_ stage: Stage) throws -> DatabasePool {
        stage.remove("grdb.sqlite")
        let pool = try stage.grdb("grdb.sqlite")
        try writeSync(pool) { try $0.execute(sql: ItemCells.table) }
        return pool
    }

    /// Makes the side with the least possible work: no key, no version and no history.
    private static func inC(_ stage: Stage, _ items: ItemCells) -> Side {
        .peer("SQLite in C, bare table") { stopwatch in
            stage.remove("c.sqlite")
            let c = try CDatabase(stage.path("c.sqlite"))
            try c.run(ItemCells.table)
            try stopwatch.measure { try c.insert(items, keys: nil, "INSERT INTO item VALUES (?,?,?,?,?,?,?,?,?,?)") }
        }
    }
}

extension PersistentStoreCoordinator {
    /// Closes all stores of the coordinator.
    func closeStores() throws { for store in stores { try store.close() } }
}
