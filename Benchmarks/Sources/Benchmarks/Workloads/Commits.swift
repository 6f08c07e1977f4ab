import Backstitch
import BackstitchSQLite
import Foundation
import GRDB
import Harness
import Synchronization

/// Small saves: how many fit into a second, and how long concurrent readers wait.
enum Commits {
    static let benchmarks = [commits("NORMAL"), commits("FULL"), reading]

    /// Makes the benchmark with 1,000 saves of one object each.
    private static func commits(_ durability: String) -> Benchmark {
        Benchmark(
            name: "commits.\(durability.lowercased())",
            summary: "1,000 saves of one new object each, synchronous = \(durability)", rounds: 5
        ) { stage in
            let count = stage.rows(1_000)
            let store = try PersistentStoreCoordinator(
                model: Users.model,
                store: PersistentStoreDescription(
                    type: .sqlite, url: URL(fileURLWithPath: stage.path("ours.sqlite")),
                    options: [.sqliteSynchronous: durability]))
            let pool = try stage.grdb("grdb.sqlite")
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = \(durability)")
                try database.execute(sql: Users.Record.table)
            }
            return [
                .ours { stopwatch in
                    let context = ManagedObjectContext(coordinator: store)
                    try stopwatch.measure {
                        for number in 0..<count {
                            Users.User(context: context).age = number
                            try context.save()
                        }
                    }
                },
                .peer("GRDB records") { stopwatch in
                    var random = RandomSource(seed: 7)
                    try stopwatch.measure {
                        for _ in 0..<count { try writeSync(pool) { try Users.Record(&random).insert($0) } }
                    }
                },
            ]
        }
    }

    /// Four threads fetch while one saves without pause. The result is the 99th percentile of the fetch times.
    private static let reading = Benchmark(
        name: "readers.p99", summary: "fetch of 100 of 100,000 users in 4 threads beside 1 that saves, 99th percentile",
        rounds: 3
    ) { stage in
        let (store, pool) = try Users.stored(stage)
        return [
            .ours { stopwatch in
                let request = try FetchRequest<Users.User>(where: "surname == 'Doe'", limit: 100)
                let times = try crowd {
                    let context = ManagedObjectContext(coordinator: store)
                    _ = try context.fetch(request).reduce(0) { $0 &+ $1.age }
                } writer: {
                    let context = ManagedObjectContext(coordinator: store)
                    for _ in 0..<100 { Users.User(context: context).surname = "Writer" }
                    try context.save()
                }
                stopwatch.add(wall: times.quantile(0.99), processor: times.quantile(0.5))
            },
            .peer("GRDB records") { stopwatch in
                let times = try crowd {
                    _ = try readSync(pool) { database in
                        try Users.Record.filter(Column("surname") == "Doe").limit(100).fetchAll(database)
                            .reduce(0) { $0 &+ $1.age }
                    }
                } writer: {
                    var random = RandomSource(seed: 9)
                    try writeSync(pool) { database in
                        for _ in 0..<100 { try Users.Record(&random).insert(database) }
                    }
                }
                stopwatch.add(wall: times.quantile(0.99), processor: times.quantile(0.5))
            },
        ]
    }

    /// Runs readers and a writer at the same time for two seconds. Returns the duration of each read in seconds.
    private static func crowd(
        reader: @escaping @Sendable () throws -> Void, writer: @escaping @Sendable () throws -> Void
    ) throws -> [Double] {
        let end = ContinuousClock.now + .seconds(2)
        let results = Collected()
        let group = DispatchGroup()
        func thread(_ body: @escaping @Sendable () throws -> Double?) {
            group.enter()
            Thread.detachNewThread {
                while ContinuousClock.now < end, results.add(Result { try body() }) {}
                group.leave()
            }
        }
        thread {
            try writer()
            return nil
        }
        for _ in 0..<4 {
            thread {
                let begin = ContinuousClock.now
                try reader()
                return begin.duration(to: .now) / .seconds(1)
            }
        }
        group.wait()
        return try results.get()
    }
}

/// The times measured by several threads, or the error of one of them.
private final class Collected: Sendable {
    private struct State {
        var times: [Double] = []
        var failure: (any Error & Sendable)?
    }

    private let state = Mutex(State())

    /// Adds the time of a turn. Returns false once any turn has failed.
    func add(_ result: Result<Double?, any Error>) -> Bool {
        state.withLock { state in
            switch result {
            case .success(let time): if let time { state.times.append(time) }
            case .failure(let error): state.failure = BenchmarkError("\(error)")
            }
            return state.failure == nil
        }
    }

    func get() throws -> [Double] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.times
        }
    }
}
