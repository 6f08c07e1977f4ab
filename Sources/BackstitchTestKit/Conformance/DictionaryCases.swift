import Backstitch
import Foundation

extension StoreConformance {
    /// Dictionary fetches: chosen columns, groups, aggregates and `HAVING`, without objects.
    ///
    /// A backend must
    /// - sum decimals exactly, and refuse a sum of integers that exceeds 64 bits;
    /// - ignore nil in aggregates, and return nil or 0 for no values;
    /// - treat nil as a group of its own;
    /// - order by results of aggregates.
    ///
    /// A store fails when its database sums decimals as doubles or averages integers as integers. A store without a
    /// better way uses ``StoreDictionaryRequest/results(from:)``, which computes in memory.
    static let dictionaryCases = [
        ConformanceCase("a dictionary fetch gives values by name, through to-one relationships, in order") { bench in
            try await bench.container().perform { context in
                let place = try journalOfCounts(context)
                let rows = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "Entry", [.key("text"), .key("location.name"), .key("location", as: "place")],
                        where: try FetchPredicate(format: "count < 3"),
                        sortedBy: [.descending("location.name"), .ascending("text")], limit: 2))
                try expectEqual(rows.map { $0.value("text") }, ["1", "0"])
                try expectEqual(rows.map { $0["location.name"] }, ["Home", .null])
                try expectEqual(rows.map { $0["place"] }, [.object(place.objectID), .null])
                try expectEqual(rows[0].names, ["text", "location.name", "place"])
                let byAge = try context.fetch(DictionaryFetchRequest(entityName: "Entry", [.key("count")], offset: 4))
                try expectEqual(byAge.map { $0.value("count") }, [4, 5])
            }
        },
        ConformanceCase("aggregates are grouped, filtered by having, and ordered by their results") { bench in
            try await bench.container().perform { context in
                _ = try journalOfCounts(context)
                var request = DictionaryFetchRequest(
                    entityName: "Entry",
                    [
                        .key("location.name"), .count(as: "entries"), .sum("count", as: "sum"),
                        .max("text", as: "last"),
                        .average("count", as: "mean"), .count("created", as: "dated"),
                    ], groupBy: ["location.name"], sortedBy: [.descending("sum")])
                try expectEqual(
                    context.fetch(request).map { Array($0.values) },
                    [["Home", 3, 9, "5", 3.0, 0], [.null, 3, 6, "4", 2.0, 0]])
                request.having = try FetchPredicate(format: "sum > 6 AND location.name BEGINSWITH[c] 'h'")
                try expectEqual(context.fetch(request).map { $0["location.name"] }, ["Home"])
                request.having = try FetchPredicate(format: "sum > 100")
                try expectEqual(context.fetch(request), [])
            }
        },
        ConformanceCase("aggregates pass over nil, and over nothing give nil and zero") { bench in
            try await bench.container().perform { context in
                let request = DictionaryFetchRequest(
                    entityName: "AllTypes",
                    [
                        .count(), .count("decimal"), .sum("decimal"), .average("decimal"), .min("date"),
                        .sum("integer64"), .average("double"),
                    ])
                let nothing: [Value] = [0, 0, .null, .null, .null, .null, .null]
                try expectEqual(context.fetch(request).map { Array($0.values) }, [nothing])
                try context.execute(
                    BatchInsertRequest(
                        entityName: "AllTypes",
                        objects: [["decimal": 1], [:], ["decimal": 2, "integer64": 5], ["double": .double(.nan)]]))
                let two: [Value] = [4, 2, .decimal(3), .decimal(1.5), .null, 5, .null]
                try expectEqual(context.fetch(request).map { Array($0.values) }, [two])
            }
        },
        ConformanceCase("sums of decimals are exact, and those of integers do not wrap around") { bench in
            try await bench.container().perform { context in
                let large = try decimal("12345678901234567890123456789.01"), small = try decimal("0.000000001")
                try context.execute(
                    BatchInsertRequest(
                        entityName: "AllTypes",
                        objects: [
                            ["decimal": .decimal(large), "integer64": .int(.max)],
                            ["decimal": .decimal(small), "integer64": 1], ["decimal": .decimal(small)],
                            ["decimal": .decimal(-100)],
                        ]))
                let row = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "AllTypes",
                        [.sum("decimal", as: "sum"), .min("decimal", as: "min"), .max("decimal", as: "max")]))[0]
                try expectEqual(row["sum"], .decimal(decimal("12345678901234567890123456689.010000002")))
                try expect(row["min"] == .decimal(-100) && row["max"] == .decimal(large))
                try expectError(.invalidValue) {
                    _ = try context.fetch(DictionaryFetchRequest(entityName: "AllTypes", [.sum("integer64")]))
                }
                let thirds = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "AllTypes", [.average("decimal", as: "mean")],
                        where: try FetchPredicate(format: "decimal < 1 AND decimal > -1000")))[0]
                try expectEqual(thirds["mean"], .decimal(decimal("-33.33333333266666666667")))
            }
        },
        ConformanceCase("distinct rows come once, and many aggregates may be asked of each type") { bench in
            try await bench.container().perform { context in
                _ = try journalOfCounts(context)
                let names = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "Entry", [.key("location.name", as: "name")], sortedBy: [.descending("name")],
                        returnsDistinctResults: true))
                try expectEqual(names.map { $0["name"] }, ["Home", .null])
                let kinds = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "Entry",
                        [.aggregate(.countDistinct, "location.name", as: "names"), .min("location.name", as: "first")]))
                try expectEqual(kinds.map { Array($0.values) }, [[1, "Home"]])
            }
        },
        ConformanceCase("unsaved changes count in a dictionary fetch that says so") { bench in
            try await bench.container().perform { context in
                _ = try journalOfCounts(context)
                let new = Entry(context: context)
                new.count = 100
                var request = DictionaryFetchRequest(entityName: "Entry", [.sum("count", as: "sum")])
                try expectEqual(context.fetch(request)[0]["sum"], 15)
                request.includesPendingChanges = true
                try expectEqual(context.fetch(request)[0]["sum"], 115)
                context.rollback()
                try expectEqual(context.fetch(request)[0]["sum"], 15)
            }
        },
        ConformanceCase("a dictionary fetch that does not fit the model says what does") { bench in
            try await bench.container().perform { context in
                func message(_ code: BackstitchError.Code, _ request: DictionaryFetchRequest) throws -> String {
                    let error = try expectError(code) { _ = try context.fetch(request) }
                    return error.message
                }
                let unknown = try message(.invalidPredicate, .init(entityName: "Entry", [.sum("cuont")]))
                try expect(unknown.contains("count"), unknown)
                let text = try message(.invalidRequest, .init(entityName: "Entry", [.sum("text")]))
                try expect(text.contains("sum"), text)
                let toMany = try message(.invalidRequest, .init(entityName: "Entry", [.key("tags.name")]))
                try expect(toMany.contains("to-many"), toMany)
                let loose = try message(.invalidRequest, .init(entityName: "Entry", [.key("text"), .count()]))
                try expect(loose.contains("groupBy"), loose)
                let having = try message(
                    .invalidPredicate,
                    .init(entityName: "Entry", [.count()], having: try FetchPredicate(format: "sum > 1")))
                try expect(having.contains("count") && having.contains("sum"), having)
                _ = try message(.invalidRequest, .init(entityName: "Entry", groupBy: ["text"]))
                _ = try message(.invalidRequest, .init(entityName: "Entry", [.key("text"), .key("count", as: "text")]))
            }
        },
        ConformanceCase("random dictionary fetches give what the objects themselves come to") { bench in
            try await bench.container().perform { context in
                var random = SeededGenerator(seed: 11)
                try RandomDictionaries.insert(context, &random)
                // No fetch matches this object. With unsaved changes included, it forces the evaluation in memory.
                try context.insertObject(entityName: "AllTypes").setValue("unsaved", forKey: "string")
                for round in 0..<150 {
                    var request = try RandomDictionaries.request(&random)
                    let stored = try context.fetch(request)
                    request.includesPendingChanges = true
                    let computed = try context.fetch(request)
                    try expect(stored == computed, "round \(round), seed 11: \(request)\n\(stored)\n\(computed)")
                }
            }
        },
    ]

    /// Six entries with counts from 0. Those with odd counts are at home.
    private static func journalOfCounts(_ context: ManagedObjectContext) throws -> Location {
        let place = Location(context: context)
        place.name = "Home"
        for number in 0..<6 {
            let entry = Entry(context: context)
            entry.count = number
            entry.text = "\(number)"
            if number % 2 == 1 { entry.location = place }
        }
        try context.save()
        return place
    }

    /// A decimal with all digits of the text. A literal would lose digits as a double.
    static func decimal(_ text: String) throws -> Decimal {
        guard let number = Decimal(string: text) else { throw ConformanceFailure(description: "\(text) is no number") }
        return number
    }
}
