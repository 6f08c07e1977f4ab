import Backstitch
import Foundation

extension StoreConformance {
    /// Prices are doubles, and names contain the maker: `m1/item 4`.
    private static let first = ManagedObjectModel([
        EntityDescription(
            "Item",
            [.attribute("name", .string), .attribute("price", .double), .toMany("shelves", "Shelf", inverse: "items")]),
        EntityDescription("Shelf", [.attribute("label", .string), .toMany("items", "Item", inverse: "shelves")]),
    ])
    /// Prices are decimals, and makers are objects.
    private static let second = ManagedObjectModel([
        EntityDescription(
            "Item",
            [
                .attribute("name", .string), .attribute("price", .decimal, optional: false, default: 0),
                .toMany("shelves", "Shelf", inverse: "items"), .toOne("maker", "Maker", inverse: "items"),
            ]),
        EntityDescription("Shelf", [.attribute("label", .string), .toMany("items", "Item", inverse: "shelves")]),
        EntityDescription("Maker", [.attribute("name", .string), .toMany("items", "Item", inverse: "maker")]),
    ])
    /// Items are renamed to wares, and shelves are removed.
    private static let third = ManagedObjectModel([
        EntityDescription(
            "Ware",
            [
                .attribute("name", .string, optional: false, default: "").renamed(from: "name"),
                .attribute("price", .decimal, optional: false, default: 0), .toOne("maker", "Maker", inverse: "wares"),
            ]
        ).renamed(from: "Item"),
        EntityDescription(
            "Maker", [.attribute("name", .string), .toMany("wares", "Ware", inverse: "maker").renamed(from: "items")]),
    ])

    /// Prices become decimals, `Maker/name` is split, and objects without a name are deleted.
    private static let pricing = MigrationStage.custom("prices become decimals", from: first, to: second) { rows in
        var makers: [String: ObjectID] = [:]
        try rows.update("Item") { old, new in
            if case .double(let price) = try old["price"] { try new.set("price", .decimal(Decimal(price))) }
            guard case .string(let name) = try old["name"] else { return try rows.delete(new.objectID) }
            let parts = name.split(separator: "/").map(String.init)
            guard parts.count == 2 else { return }
            let maker = try makers[parts[0]] ?? rows.insert("Maker", key: nil, ["name": .string(parts[0])])
            makers[parts[0]] = maker
            try new.set("name", .string(parts[1]))
            try new.set("maker", .object(maker))
        }
    }

    /// The labels of the removed shelves are put before the names.
    private static let labelling = MigrationStage.custom("labels move to names", from: second, to: third) { rows in
        var labels: [ObjectKey: String] = [:]
        try rows.forEachOldRow(of: "Shelf") { row in
            guard case .string(let label) = try row["label"] else { return }
            for item in try rows.oldLinks(of: row.objectID, by: "items") { labels[item] = label }
        }
        try rows.update("Ware") { old, new in
            guard let label = labels[old.objectID.key], case .string(let name) = try old["name"] else { return }
            try new.set("name", .string("\(label): \(name)"))
        }
    }

    /// 1200 items of three makers, every second on the shelf, and one without a name.
    private static func fill(_ context: ManagedObjectContext) throws {
        let shelf = try context.make("Shelf", ["label": "top"])
        for number in 0..<1200 {
            let item = try context.make(
                "Item", ["name": .string("m\(number % 3)/item \(number)"), "price": .double(Double(number) / 4)])
            if number % 2 == 0 { try shelf.add(item, to: "items") }
        }
        try context.make("Item", ["price": 1.5])
    }

    /// Stages with code take a store through versions, beginning with its own version.
    ///
    /// A backend must
    /// - show a stage the old rows and links, and write the new ones, in the transaction of the migration;
    /// - undo everything when a stage throws, and name the stage;
    /// - begin at the stage for its own version, and refuse if no stage continues from it;
    /// - demand a value for required attributes at the end of the stage, not before.
    ///
    /// A store fails when it shows a stage its own changes as old rows, or drops data too early for a later stage.
    static let migrationStageCases = [
        ConformanceCase.migration("stages with code take a store through versions, from the one that it has") { bench in
            let bench = bench.with([pricing, labelling])
            try await bench.open(first, fill)
            try await bench.open(third) { context in
                let wares = try context.all("Ware")
                try expectEqual(wares.count, 1200)
                try expectEqual(wares[4].value(forKey: "name"), "top: item 4")
                try expectEqual(wares[5].value(forKey: "name"), "item 5")
                try expectEqual(wares[5].value(forKey: "price"), .decimal(Decimal(5) / 4))
                let makers = try context.all("Maker")
                try expectEqual(makers.map { try $0.value(forKey: "name") }, ["m0", "m1", "m2"])
                for maker in makers { try expectEqual(maker.objects(forKey: "wares").count, 400) }
            }
        },
        ConformanceCase.migration("a store between the stages goes through the later ones only") { bench in
            try await bench.with([pricing]).open(first, fill)
            try await bench.with([pricing]).open(second) { try expectEqual($0.all("Maker").count, 3) }
            guard let plan = try bench.with([pricing, labelling]).plan(third) else {
                throw ConformanceFailure(description: "there is no plan")
            }
            try expect(plan.description.contains("labels move to names"), plan.description)
            try expect(!plan.description.contains("prices become decimals"), plan.description)
            try await bench.with([pricing, labelling]).open(third) { context in
                try expectEqual(context.all("Maker").count, 3)
                try expectEqual(context.all("Ware")[2].value(forKey: "name"), "top: item 2")
            }
        },
        ConformanceCase.migration("a stage reads that there was no value, where the new model has a default") { bench in
            let old = ManagedObjectModel([
                EntityDescription("T", [.attribute("n", .integer64), .attribute("m", .string), .attribute("p", .uuid)])
            ])
            let new = ManagedObjectModel([
                EntityDescription(
                    "T",
                    [
                        .attribute("n", .integer64, optional: false, default: 7),
                        .attribute("k", .string, optional: false, default: "new").renamed(from: "m"),
                        .attribute("seen", .string), .attribute("old", .string),
                    ])
            ])
            try await bench.open(old) { context in
                try context.make("T", ["n": 3, "m": "x"])
                try context.make("T", [:])
            }
            let stage = MigrationStage.custom("n", from: old, to: new) { rows in
                var texts: [ObjectKey: String] = [:]
                try rows.forEachOldRow(of: "T") { row in
                    texts[row.objectID.key] = "\(try row["n"]) \(try row["m"])"
                }
                try rows.update("T") { old, new in
                    try new.set("old", .string("\(try old["n"]) \(try old["m"]), \(texts[old.objectID.key] ?? "")"))
                    try new.set("seen", .string("\(try new["n"]) \(try new["k"])"))
                }
            }
            try await bench.with([stage]).open(new) { context in
                let found = try context.all("T").map { object in
                    try ["n", "k", "old", "seen"].map { "\(try object.value(forKey: $0))" }
                }
                try expectEqual(
                    Set(found), [["3", "x", "3 x, 3 x", "3 x"], ["7", "new", "null null, null null", "7 new"]])
            }
        },
        ConformanceCase.migration("a stage that throws leaves the store as it was") { bench in
            try await bench.open(first, fill)
            let failing = MigrationStage.custom("fails", from: first, to: second) { rows in
                try rows.forEachOldRow(of: "Item") { row in try rows.delete(row.objectID) }
                _ = try rows.insert("Maker", key: nil, ["nam": "x"])
            }
            let error = try bench.with([failing]).refusal(second, .invalidRequest)
            try expect(error.message.contains("the migration stage \"fails\" failed"), error.message)
            try await bench.open(first) { try expectEqual($0.all("Item").count, 1201) }
        },
        ConformanceCase.migration("a stage must give a required attribute a value in every object") { bench in
            guard !bench.bench.store.lacks.contains(.requiredValues) else { return }
            var newer = first
            newer.entities[0].properties[0] = .attribute("name", .string, optional: false)
            let stage = MigrationStage.custom("nothing", from: first, to: newer) { _ in }
            try await bench.open(first, fill)
            let error = try bench.with([stage]).refusal(newer, .validation)
            try expect(error.message.contains("Item.name is required, and 1 objects were left"), error.message)
            let filling = MigrationStage.custom("names", from: first, to: newer) { rows in
                try rows.update("Item") { old, new in
                    if try old["name"].isNull { try new.set("name", "nameless") }
                }
            }
            try await bench.with([filling]).open(newer) { context in
                try expectEqual(context.all("Item").last?.value(forKey: "name"), "nameless")
            }
        },
        ConformanceCase.migration("a store of a version that no stage knows is refused when code may be needed") {
            bench in
            var unknown = first
            unknown.entities[0].properties.append(.attribute("colour", .string))
            try await bench.open(unknown, fill)
            let error = try bench.with([pricing, labelling]).refusal(third, .modelMismatch)
            try expect(error.message.contains("no migration stage begins at the store's model"), error.message)
            let missing = MigrationStage.lightweight(from: unknown, to: first)
            try await bench.with([missing, pricing, labelling]).open(third) {
                try expectEqual($0.all("Ware").count, 1200)
            }
        },
        ConformanceCase.migration("without inference stages still migrate, and nothing else") { bench in
            try await bench.open(first, fill)
            try await bench.with([pricing, labelling]).open(third, options: [.infersMappingModel: false]) {
                try expectEqual($0.all("Ware").count, 1200)
            }
            var fourth = third
            fourth.entities[1].properties[0] = .attribute("called", .string)
            let error = try bench.with([pricing, labelling]).refusal(
                fourth, .modelMismatch, options: [.infersMappingModel: false])
            try expect(error.message.contains("infersMappingModel is false"), error.message)
            let last = MigrationStage.lightweight(from: third, to: fourth)
            try await bench.with([pricing, labelling, last]).open(fourth, options: [.infersMappingModel: false]) {
                try expectEqual($0.all("Maker").map { try $0.value(forKey: "called") }, [.null, .null, .null])
            }
        },
    ]
}
