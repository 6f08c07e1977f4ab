import Backstitch
import BackstitchPostgreSQL
import BackstitchSQLite
import Harness

/// Operations on relationships of 30,000 objects. Ordered ones are compared with unordered ones, and 30,000 objects
/// with twice 15,000.
enum Relationships {
    static let benchmarks =
        ["own", "fav"].flatMap { key in
            unordered.flatMap { [ordered($0, key), doubled($0, key)] } + orderedOnly.map { doubled($0, key) }
                + [Place.memory, .postgres].flatMap { place in
                    unordered.filter(\.usesStore).map { ordered($0, key, place) }
                }
        }

    /// The store with the objects.
    private enum Place: String {
        case file, memory, postgres
    }

    /// An operation on a relationship from a list to rows.
    private struct Operation: Sendable {
        let name: String
        /// Whether the rows are linked and saved before the measurement.
        var isLinked = true
        /// Whether the work reads or writes the store.
        var usesStore = true
        let run: @Sendable (ManagedObject, [ManagedObject], String) throws -> Void
    }

    /// The operations that unordered relationships support, too.
    private static let unordered = [
        Operation(name: "add", isLinked: false, usesStore: false) { list, rows, key in
            for row in rows { try list.add(row, to: key) }
        },
        Operation(name: "remove", usesStore: false) { list, rows, key in
            for row in rows.prefix(rows.count / 2) { try list.remove(row, from: key) }
        },
        Operation(name: "addAndSave", isLinked: false) { list, rows, key in
            for row in rows { try list.add(row, to: key) }
            try list.managedObjectContext?.save()
        },
        Operation(name: "read") { list, rows, key in
            list.managedObjectContext?.refreshAllObjects()
            for _ in 0..<3 { _ = try list.objects(forKey: key) }
        },
        Operation(name: "delete") { list, rows, key in
            for row in rows { list.managedObjectContext?.delete(row) }
            try list.managedObjectContext?.save()
        },
        Operation(name: "cascade") { list, rows, key in
            list.managedObjectContext?.delete(list)
            try list.managedObjectContext?.save()
        },
    ]

    private static let orderedOnly = [
        Operation(name: "set", isLinked: false) { list, rows, key in try list.setObjects(rows, forKey: key) },
        Operation(name: "reverse") { list, rows, key in try list.setObjects(rows.reversed(), forKey: key) },
        Operation(name: "insert", isLinked: false) { list, rows, key in
            for (index, row) in rows.enumerated() { try list.insert(row, into: key, at: index / 2) }
        },
        Operation(name: "move") { list, rows, key in
            for _ in rows { try list.moveObject(in: key, from: rows.count - 1, to: 0) }
        },
    ]

    private static func ordered(_ operation: Operation, _ key: String, _ place: Place = .file) -> Benchmark {
        Benchmark(
            name: "ordered.\(place == .file ? "" : "\(place).")\(key).\(operation.name)",
            summary: "\(operation.name) 30,000 in order, beside without an order",
            rounds: 3
        ) { stage in
            [
                .ours { try run(operation, key, isOrdered: true, stage.rows(30_000), stage, $0, place) },
                .peer("unordered", target: 1.5) {
                    try run(operation, key, isOrdered: false, stage.rows(30_000), stage, $0, place)
                },
            ]
        }
    }

    private static func doubled(_ operation: Operation, _ key: String) -> Benchmark {
        Benchmark(
            name: "doubled.\(key).\(operation.name)", summary: "\(operation.name) 30,000 in order, beside twice 15,000",
            rounds: 3
        ) { stage in
            [
                .ours { try run(operation, key, isOrdered: true, stage.rows(30_000), stage, $0) },
                .peer("2 x 15,000", target: 1.3) {
                    for _ in 0..<2 { try run(operation, key, isOrdered: true, stage.rows(15_000), stage, $0) }
                },
            ]
        }
    }

    private static func run(
        _ operation: Operation, _ key: String, isOrdered: Bool, _ count: Int, _ stage: Stage, _ stopwatch: Stopwatch,
        _ place: Place = .file
    ) throws {
        let store = try open(model(isOrdered: isOrdered), place, stage)
        let context = ManagedObjectContext(coordinator: store)
        let list = try context.insertObject(entityName: "List")
        let rows = try (0..<count).map { _ in try context.insertObject(entityName: "Row") }
        if operation.isLinked {
            for row in rows { try list.add(row, to: key) }
        }
        try context.save()
        try stopwatch.measure { try operation.run(list, rows, key) }
        context.reset()
        try store.closeStores()
    }

    /// Opens an empty store.
    private static func open(
        _ model: ManagedObjectModel, _ place: Place, _ stage: Stage
    ) throws -> PersistentStoreCoordinator {
        switch place {
        case .file:
            stage.remove("ours.sqlite")
            return try stage.sqlite(model, "ours.sqlite")
        case .memory:
            return try PersistentStoreCoordinator(model: model, store: PersistentStoreDescription(type: .sqlite))
        case .postgres:
            let server = try PostgresServer.shared.get()
            try CPostgres(server.address).run("DROP SCHEMA IF EXISTS lists CASCADE")
            return try PersistentStoreCoordinator(
                model: model,
                store: PersistentStoreDescription(
                    type: .postgreSQL, url: server.url, options: [.postgresSchema: "lists"]))
        }
    }

    private static func model(isOrdered: Bool) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "List",
                [
                    .toMany("own", "Row", inverse: "list", delete: .cascade, ordered: isOrdered),
                    .toMany("fav", "Row", inverse: "favOf", delete: .cascade, ordered: isOrdered),
                ]),
            EntityDescription(
                "Row", [.toOne("list", "List", inverse: "own"), .toMany("favOf", "List", inverse: "fav")]),
        ])
    }
}
