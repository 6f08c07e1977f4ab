import Backstitch
import Harness

/// Walks from 10,000 parents to their ten children each.
enum Prefetching {
    static let benchmarks = [walk, faults]

    final class Parent: ManagedObject {
        var name: String {
            get { self["name"] }
            set { self["name"] = newValue }
        }
        var children: Set<Child> {
            get { self["children"] }
            set { self["children"] = newValue }
        }
    }

    final class Child: ManagedObject {
        var number: Int {
            get { self["number"] }
            set { self["number"] = newValue }
        }
        var parent: Parent? {
            get { self["parent"] }
            set { self["parent"] = newValue }
        }
    }

    static let model = ManagedObjectModel([
        EntityDescription(
            "Parent", class: Parent.self,
            [.attribute("name", .string, default: ""), .toMany("children", "Child", inverse: "parent")]),
        EntityDescription(
            "Child", class: Child.self,
            [.attribute("number", .integer64, default: 0), .toOne("parent", "Parent", inverse: "children")]),
    ])

    private static let walk = walking(
        "prefetch", "fetch 10,000 parents with their 100,000 children prefetched, walk all", 10_000,
        prefetching: ["children"], target: 2)
    private static let faults = walking(
        "faults", "the same without prefetching, for 1,000 parents: a statement for each", 1_000, prefetching: [],
        target: nil)

    private static func walking(
        _ name: String, _ summary: String, _ full: Int, prefetching keyPaths: [String], target: Double?
    ) -> Benchmark {
        Benchmark(name: name, summary: summary, rounds: 7) { stage in
            let parents = stage.rows(full)
            let store = try stage.sqlite(model, "ours.sqlite")
            try fill(store, parents)
            let c = try CDatabase(stage.path("ours.sqlite"))
            return [
                .ours { stopwatch in
                    let context = ManagedObjectContext(coordinator: store)
                    var request = FetchRequest<Parent>()
                    request.relationshipKeyPathsForPrefetching = keyPaths
                    let sum = try stopwatch.measure {
                        try context.fetch(request).reduce(0) { sum, parent in
                            parent.children.reduce(sum) { $0 &+ $1.number }
                        }
                    }
                    try expect(sum, (0..<parents * 10).reduce(0, +), "sum")
                },
                .peer("SQLite in C, join", target: target) { stopwatch in
                    let rows = try stopwatch.measure {
                        try c.fetch(
                            """
                            SELECT p._id, p._version, p.name, c._id, c._version, c.number, c.parent FROM "Parent" p
                            JOIN "Child" c ON c.parent = p._id ORDER BY p._id
                            """)
                    }
                    try expect(rows, parents * 10, "rows")
                },
            ]
        }
    }

    private static func fill(_ store: PersistentStoreCoordinator, _ parents: Int) throws {
        let context = ManagedObjectContext(coordinator: store)
        var (parent, child) = (0, 0)
        try context.execute(
            BatchInsertRequest(entityName: "Parent") { row in
                row["name"] = .string("parent \(parent)")
                parent += 1
                return parent > parents
            })
        let ids = try context.fetchObjectIDs(FetchRequest<Parent>())
        try context.execute(
            BatchInsertRequest(entityName: "Child") { row in
                guard child < parents * 10 else { return true }
                row["number"] = .int(Int64(child))
                // Neighbours in the file have different parents, as in a store after a while of use.
                row["parent"] = .object(ids[child % parents])
                child += 1
                return false
            })
    }
}
