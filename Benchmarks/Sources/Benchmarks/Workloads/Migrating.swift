import Backstitch
import Foundation
import Harness

/// Opens a store of a million rows with a new version of its model.
enum Migrating {
    static let benchmarks = [added, renamed]

    /// Adds an attribute with a default to every row.
    private static let added = migration(
        "added", "a new attribute with a default for 1,000,000 users", "ALTER TABLE in C",
        attributes: [.attribute("city", .string, default: "here")],
        sql: "ALTER TABLE \"User\" ADD COLUMN city TEXT DEFAULT 'here'")

    /// Renames an attribute of every row.
    private static let renamed = migration(
        "renamed", "another name for an attribute of 1,000,000 users", "ALTER TABLE in C",
        attributes: [years], dropping: "age",
        sql: "ALTER TABLE \"User\" RENAME COLUMN age TO years")

    private static var years: PropertyDescription {
        var attribute = AttributeDescription("years", .integer64, default: 0)
        attribute.renamingIdentifier = "age"
        return .attribute(attribute)
    }

    private static func migration(
        _ name: String, _ summary: String, _ peer: String, attributes: [PropertyDescription], dropping: String? = nil,
        sql: String
    ) -> Benchmark {
        Benchmark(name: "migrate.\(name)", summary: summary, rounds: 2) { stage in
            let original = try stage.sqlite(Users.model, "original.sqlite")
            try Users.create(stage.rows(1_000_000), original)
            try original.closeStores()
            let old: [PropertyDescription] = [
                .attribute("firstName", .string, default: ""), .attribute("surname", .string, default: ""),
                .attribute("age", .integer64, default: 0),
            ]
            let next = ManagedObjectModel([
                EntityDescription("User", old.filter { $0.name != dropping } + attributes)
            ])
            func copy(_ target: String) throws {
                stage.remove(target)
                try FileManager.default.copyItem(atPath: stage.path("original.sqlite"), toPath: stage.path(target))
                // Otherwise the first fsync of the migration would write the copy as well.
                let file = try FileHandle(forUpdating: URL(fileURLWithPath: stage.path(target)))
                try file.synchronize()
                try file.close()
            }
            return [
                .ours { stopwatch in
                    try copy("ours.sqlite")
                    let store = try stopwatch.measure { try stage.sqlite(next, "ours.sqlite") }
                    let count = try ManagedObjectContext(coordinator: store)
                        .count(for: FetchRequest<ManagedObject>(entityName: "User"))
                    try expect(count, stage.rows(1_000_000), "users after migration")
                    try store.closeStores()
                },
                .peer(peer) { stopwatch in
                    try copy("c.sqlite")
                    let c = try CDatabase(stage.path("c.sqlite"))
                    try stopwatch.measure { try c.run(sql) }
                },
            ]
        }
    }
}
