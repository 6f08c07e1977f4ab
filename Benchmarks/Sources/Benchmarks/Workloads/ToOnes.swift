import Backstitch
import BackstitchSQLite
import Harness

/// Reads of a to-one relationship of 100,000 objects.
enum ToOnes {
    static let benchmarks = [reading("one", 1), reading("hundred", 100), reading("many", 100_000)]

    /// Reads the same to-one relationships twice: while the program holds none of their targets, and while it holds
    /// them.
    private static func reading(_ name: String, _ targets: Int) -> Benchmark {
        Benchmark(
            name: "toone.\(name)", summary: "100,000 to-one links to \(targets) objects that nobody holds, read",
            rounds: 5
        ) { stage in
            let store = try stage.sqlite(model, "ours.sqlite")
            let (count, targets) = (stage.rows(100_000), stage.rows(targets))
            let context = ManagedObjectContext(coordinator: store)
            let all = try (0..<targets).map { _ in try context.insertObject(entityName: "Target") }
            for index in 0..<count {
                try context.insertObject(entityName: "Source").setObject(all[index % targets], forKey: "target")
            }
            try context.save()
            func read(_ stopwatch: Stopwatch, held: Bool) throws {
                let context = ManagedObjectContext(coordinator: store)
                let sources = try context.fetch(FetchRequest<ManagedObject>(entityName: "Source"))
                let targets = held ? try context.fetch(FetchRequest<ManagedObject>(entityName: "Target")) : []
                var found = 0
                try stopwatch.measure {
                    for source in sources where try source.object(forKey: "target")?.value(forKey: "name") != nil {
                        found += 1
                    }
                }
                try withExtendedLifetime(targets) { try expect(found, count, "targets") }
            }
            return [
                .ours { try read($0, held: false) },
                .peer("held", target: targets == count ? nil : 1.2) { try read($0, held: true) },
            ]
        }
    }

    private static var model: ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription("Source", [.toOne("target", "Target", inverse: "sources")]),
            EntityDescription(
                "Target", [.attribute("name", .string, default: "t"), .toMany("sources", "Source", inverse: "target")]),
        ])
    }
}
