import Backstitch
import Foundation
import GRDB
import Harness

/// Makes, finds, renames and deletes 100,000 users. It also measures whether a million users take ten times as long.
enum Users {
    static let benchmarks = [creating, finding, renaming, deleting, size, linear, memory]

    final class User: ManagedObject {
        var firstName: String {
            get { self["firstName"] }
            set { self["firstName"] = newValue }
        }
        var surname: String {
            get { self["surname"] }
            set { self["surname"] = newValue }
        }
        var age: Int {
            get { self["age"] }
            set { self["age"] = newValue }
        }
    }

    static let model = ManagedObjectModel([
        EntityDescription(
            "User", class: User.self,
            [
                .attribute("firstName", .string, default: ""), .attribute("surname", .string, default: ""),
                .attribute("age", .integer64, default: 0),
            ])
    ])

    struct Record: FetchableRecord, PersistableRecord {
        static let databaseTableName = "user"
        var id: UUID, firstName: String, surname: String, age: Int

        init(row: Row) { (id, firstName, surname, age) = (row["id"], row["firstName"], row["surname"], row["age"]) }

        init(_ random: inout RandomSource) {
            id = UUID()
            (firstName, surname, age) = Users.values(&random)
        }

        func encode(to container: inout PersistenceContainer) {
            (container["id"], container["firstName"], container["surname"]) = (id, firstName, surname)
            container["age"] = age
        }

        static let table = "CREATE TABLE user (id BLOB PRIMARY KEY NOT NULL, firstName TEXT, surname TEXT, age INTEGER)"
    }

    private static let firstNames = ["Jane", "John", "Mary", "Omar", "Lena", "Wei", "Ana", "Paul", "Nia", "Tom"]
    private static let surnames = ["Doe", "Khan", "Miller", "Silva", "Okafor", "Novak", "Chen", "Ito", "Berg", "Rossi"]

    static func values(_ random: inout RandomSource) -> (String, String, Int) {
        (
            firstNames[Int.random(in: 0..<10, using: &random)], surnames[Int.random(in: 0..<10, using: &random)],
            Int.random(in: 1...90, using: &random)
        )
    }

    /// Makes users, one save for each 10,000, each in a context of its own.
    static func create(_ count: Int, _ store: PersistentStoreCoordinator) throws {
        var random = RandomSource(seed: 31)
        for start in stride(from: 0, to: count, by: 10_000) {
            let context = ManagedObjectContext(coordinator: store)
            for _ in start..<min(count, start + 10_000) {
                let user = User(context: context)
                (user.firstName, user.surname, user.age) = values(&random)
            }
            try context.save()
        }
    }

    private static func createRecords(_ count: Int, _ pool: DatabasePool) throws {
        var random = RandomSource(seed: 31)
        for start in stride(from: 0, to: count, by: 10_000) {
            try writeSync(pool) { database in
                for _ in start..<min(count, start + 10_000) { try Record(&random).insert(database) }
            }
        }
    }

    private static let creating = Benchmark(
        name: "users.create", summary: "make 100,000 users, one save for each 10,000, history kept", rounds: 5
    ) { stage in
        let count = stage.rows(100_000)
        return [
            .ours { stopwatch in
                stage.remove("ours.sqlite")
                let store = try stage.sqlite(model, "ours.sqlite")
                try stopwatch.measure { try create(count, store) }
                try store.closeStores()
            },
            .peer("GRDB records") { stopwatch in
                stage.remove("grdb.sqlite")
                let pool = try stage.grdb("grdb.sqlite")
                try writeSync(pool) { try $0.execute(sql: Record.table) }
                try stopwatch.measure { try createRecords(count, pool) }
                try pool.close()
            },
        ]
    }

    private static let finding = Benchmark(
        name: "users.find", summary: "of 100,000 users those named Jane, by age, all values read", rounds: 9
    ) { stage in
        let (store, pool) = try stored(stage)
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                let request = try FetchRequest<User>(where: "firstName == 'Jane'", sortedBy: [.ascending("age")])
                try stopwatch.measure {
                    _ = try context.fetch(request).reduce(0) { $0 &+ $1.age &+ $1.surname.utf8.count }
                }
            },
            .peer("GRDB records") { stopwatch in
                try stopwatch.measure {
                    _ = try readSync(pool) { database in
                        try Record.filter(Column("firstName") == "Jane").order(Column("age")).fetchAll(database)
                            .reduce(0) { $0 &+ $1.age &+ $1.surname.utf8.count }
                    }
                }
            },
        ]
    }

    private static let renaming = Benchmark(
        name: "users.rename", summary: "fetch 10,000 users named so, rename them, one save, history kept", rounds: 7
    ) { stage in
        let (store, pool) = try stored(stage)
        // Each side has its own names, because the sides do not always take turns.
        var ours = (old: "Jane", new: "Wendy"), theirs = ours
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                try stopwatch.measure {
                    for user in try context.fetch(FetchRequest<User>(where: "firstName == %@", ours.old)) {
                        user.firstName = ours.new
                    }
                    try context.save()
                }
                ours = (ours.new, ours.old)
            },
            .peer("GRDB records") { stopwatch in
                try stopwatch.measure {
                    try writeSync(pool) { database in
                        for var user in try Record.filter(Column("firstName") == theirs.old).fetchAll(database) {
                            user.firstName = theirs.new
                            try user.update(database)
                        }
                    }
                }
                theirs = (theirs.new, theirs.old)
            },
        ]
    }

    private static let deleting = Benchmark(
        name: "users.delete", summary: "fetch 10,000 of 100,000 users and delete them, one save, history kept",
        rounds: 5
    ) { stage in
        let (store, pool) = try stored(stage)
        let part = stage.rows(10_000)
        return [
            .ours { stopwatch in
                let context = ManagedObjectContext(coordinator: store)
                var request = FetchRequest<User>()
                request.limit = part
                try stopwatch.measure {
                    for user in try context.fetch(request) { context.delete(user) }
                    try context.save()
                }
                try create(part, store)
            },
            .peer("GRDB records") { stopwatch in
                try stopwatch.measure {
                    try writeSync(pool) { database in
                        for user in try Record.limit(part).fetchAll(database) { try user.delete(database) }
                    }
                }
                try createRecords(part, pool)
            },
        ]
    }

    private static let size = Benchmark(
        name: "users.size", summary: "the file of 100,000 users (MB for s), history and versions in ours", rounds: 1,
        warmsUp: false
    ) { stage in
        let (store, pool) = try stored(stage)
        try store.closeStores()
        try pool.close()
        func megabytes(_ name: String) throws -> Double {
            let bytes = try FileManager.default.attributesOfItem(atPath: stage.path(name))[.size] as? Int
            return Double(bytes ?? 0) / 1e6
        }
        let (ours, theirs) = (try megabytes("ours.sqlite"), try megabytes("grdb.sqlite"))
        return [
            .ours { $0.add(wall: ours, processor: ours) },
            .peer("GRDB records") { $0.add(wall: theirs, processor: theirs) },
        ]
    }

    private static let linear = Benchmark(
        name: "users.million", summary: "make 1,000,000 users, beside ten times 100,000", rounds: 3, warmsUp: false
    ) { stage in
        func made(_ count: Int, _ stopwatch: Stopwatch) throws {
            stage.remove("ours.sqlite")
            let store = try stage.sqlite(model, "ours.sqlite")
            // The time includes closing, which moves the rest of the log into the file. That is nearly all of a small
            // store, and little of a large one.
            try stopwatch.measure {
                try create(count, store)
                try store.closeStores()
            }
        }
        return [
            .ours { try made(stage.rows(1_000_000), $0) },
            .peer("10 x 100,000 users", target: 1.1) { for _ in 0..<10 { try made(stage.rows(100_000), $0) } },
        ]
    }

    private static let memory = Benchmark(
        name: "users.memory", summary: "the most memory a process has that makes 1,000,000 users (MB for s)", rounds: 1,
        warmsUp: false
    ) { stage in
        [
            .ours { stopwatch in
                let bytes = try UserMemory.peak(users: stage.rows(1_000_000), folder: stage.folder)
                stopwatch.add(wall: Double(bytes) / 1e6, processor: Double(bytes) / 1e6)
            },
            .limit("300 MB", seconds: 300),
        ]
    }

    /// Makes 100,000 users in a Backstitch store and in a GRDB database.
    static func stored(_ stage: Stage) throws -> (PersistentStoreCoordinator, DatabasePool) {
        let store = try stage.sqlite(model, "ours.sqlite")
        try create(stage.rows(100_000), store)
        let pool = try stage.grdb("grdb.sqlite")
        try writeSync(pool) { try $0.execute(sql: Record.table) }
        try createRecords(stage.rows(100_000), pool)
        return (store, pool)
    }
}
