import Backstitch
import Harness

/// Look-ups of 5,000 objects by identity, one after the other, among 100,000.
enum LookUps {
    static let benchmarks = [registered, cached, cold]

    private static let count = 5000

    private static let registered = Benchmark(
        name: "lookup.registered", summary: "5,000 look-ups by id of objects that the context has", rounds: 9
    ) { stage in
        let (store, ids) = try stored(stage)
        let context = ManagedObjectContext(coordinator: store)
        let held = try ids.map { try context.existingObject(with: $0) }
        return [
            .ours { stopwatch in
                try stopwatch.measure { for id in ids { _ = try context.existingObject(with: id) } }
                try expect(held.count, ids.count, "objects")
            },
            .limit("0.3 µs each", seconds: 0.3e-6 * Double(ids.count)),
        ]
    }

    private static let cached = Benchmark(
        name: "lookup.cached", summary: "5,000 look-ups by id of rows that another context has read", rounds: 9
    ) { stage in
        let (store, ids) = try stored(stage)
        return [
            .ours { stopwatch in
                // The first reads fill the cache.
                let first = ManagedObjectContext(coordinator: store)
                for id in ids { _ = try first.existingObject(with: id) }
                let context = ManagedObjectContext(coordinator: store)
                try stopwatch.measure { for id in ids { _ = try context.existingObject(with: id) } }
            },
            .limit("3 µs each", seconds: 3e-6 * Double(ids.count)),
        ]
    }

    private static let cold = Benchmark(
        name: "lookup.cold", summary: "5,000 look-ups by id of rows that nobody has read, all values read", rounds: 9
    ) { stage in
        let (first, ids) = try stored(stage)
        let keys = ids.flatMap { id in id.key.withBytes { Array($0) } }
        let query = "SELECT \(ItemCells.columns) FROM \"Item\" WHERE _id = ?"
        let c = try CDatabase(stage.path("ours.sqlite"))
        var result = 0 as Int64
        try first.closeStores()
        return [
            .ours { stopwatch in
                let store = try stage.sqlite(.items, "ours.sqlite")
                let context = ManagedObjectContext(coordinator: store)
                result = try stopwatch.measure {
                    try ids.reduce(0 as Int64) { sum, id in
                        let item = try context.existingObject(with: id) as? Item
                        return sum &+ Int64(item?.sum ?? 0)
                    }
                }
                try store.closeStores()
            },
            .peer("SQLite in C", target: 1.5) { stopwatch in
                // Opened like the Backstitch store, so that neither side has pages of the file in memory.
                let c = try CDatabase(stage.path("ours.sqlite"))
                let sum = try stopwatch.measure { try c.lookUp(query, keys: keys) }
                if result != 0 { try expect(sum, result, "sum") }
            },
            .peer("SQLite in C, open already") { stopwatch in
                let sum = try stopwatch.measure { try c.lookUp(query, keys: keys) }
                if result != 0 { try expect(sum, result, "sum") }
            },
        ]
    }

    private static func stored(_ stage: Stage) throws -> (PersistentStoreCoordinator, [ObjectID]) {
        let store = try stage.sqlite(.items, "ours.sqlite")
        let context = ManagedObjectContext(coordinator: store)
        try context.insert(ItemCells(stage.rows(100_000)))
        var random = RandomSource(seed: 5)
        let ids = try context.fetchObjectIDs(FetchRequest<Item>()).shuffled(using: &random).prefix(stage.rows(count))
        // Rows left in a cache by the insert would make a cold read warm.
        try store.closeStores()
        return (try stage.sqlite(.items, "ours.sqlite"), Array(ids))
    }
}
