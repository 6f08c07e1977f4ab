import Backstitch
import Foundation

extension StoreConformance {
    /// Fetches filter, sort, skip and limit. Predicates take objects and identities as arguments.
    ///
    /// A backend must
    /// - evaluate each predicate like the evaluator in memory, nil and text included;
    /// - order by keys where nothing else decides, so that pages neither overlap nor leave a gap;
    /// - apply the limit after the order, and the offset before the limit;
    /// - return ten thousand rows in one answer.
    ///
    /// A store fails on the collation of its database, on nulls sorted last, or on an order left to chance.
    static let fetchCases = [
        ConformanceCase("a fetch filters, sorts, skips and limits") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for number in 0..<10 {
                    let entry = Entry(context: context)
                    entry.text = "entry \(number)"
                    entry.count = number % 3
                }
                try context.save()
            }
            let texts = try await container.perform { context in
                try context.fetch(
                    FetchRequest<Entry>(
                        where: "count < %d AND text BEGINSWITH %@", 2, "entry",
                        sortedBy: [.descending("count"), .ascending("text")], limit: 3, offset: 1)
                ).map(\.text)
            }
            try expectEqual(texts, ["entry 4", "entry 7", "entry 0"])
        },
        ConformanceCase("objects and ids are arguments of ==, IN and CONTAINS") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let home = Location(context: context), tag = Tag(context: context), other = Tag(context: context)
                let entry = Entry(context: context)
                entry.location = home
                entry.tags = [tag]
                _ = Entry(context: context)
                try context.save()
                func count(_ format: String, _ argument: (any PredicateArgument)?) throws -> Int {
                    try context.count(for: FetchRequest<Entry>(where: format, argument))
                }
                try expectEqual(count("location == %@", home), 1)
                try expectEqual(count("location == %@", home.objectID), 1)
                try expectEqual(count("location IN %@", [home.objectID]), 1)
                try expectEqual(count("tags CONTAINS %@", tag), 1)
                try expectEqual(count("tags CONTAINS %@", other), 0)
                try expectEqual(count("SELF IN %@", [entry]), 1)
                try expectEqual(count("ANY tags IN %@", Set([tag, other])), 1)
                try expectEqual(count("location != %@ AND tags.@count == 0", home), 1)
            }
        },
        ConformanceCase("unsaved changes count in a fetch, unless it says otherwise") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let entries = (0..<4).map { number in
                    let entry = Entry(context: context)
                    entry.count = number
                    return entry
                }
                try context.save()
                entries[0].count = 10
                context.delete(entries[1])
                let new = Entry(context: context)
                new.count = 5
                var request = try FetchRequest<Entry>(where: "count >= 1", sortedBy: [.descending("count")])
                try expectEqual(context.fetch(request).map(\.count), [10, 5, 3, 2])
                try expectEqual(context.count(for: request), 4)
                request.limit = 2
                request.offset = 1
                try expectEqual(context.fetchObjectIDs(request), [new.objectID, entries[3].objectID])
                for (limit, offset) in [(Int.max, 1), (2, Int.max), (Int.max, Int.max)] {
                    (request.limit, request.offset) = (limit, offset)
                    try expectEqual(context.count(for: request), offset == 1 ? 3 : 0, "with \(limit) from \(offset)")
                }
                request.includesPendingChanges = false
                request.limit = nil
                request.offset = 0
                try expectEqual(context.count(for: request), 3)
            }
        },
        ConformanceCase("a context has one instance for each object, and a fetch does not overwrite it") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.text = "saved"
                try context.save()
                let elsewhere = ManagedObjectContext(coordinator: context.coordinator)
                let same = try elsewhere.fetch(FetchRequest<Entry>())[0]
                same.text = "changed"
                try expect(try elsewhere.fetch(FetchRequest<Entry>())[0] === same)
                try expectEqual(same.text, "changed")
                try expect(same !== entry && same.objectID == entry.objectID)
            }
        },
        ConformanceCase("a request that does not fit the model says what does") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let entity = try expectError(.invalidRequest) {
                    _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Enrty"))
                }
                try expect(entity.message.contains("Enrty") && entity.message.contains("Entry"), entity.message)
                let key = try expectError(.invalidPredicate) {
                    _ = try context.fetch(FetchRequest<Entry>(where: "titel == 'x'"))
                }
                try expect(key.message.contains("titel"), key.message)
                let format = try expectError(.invalidPredicate) {
                    _ = try context.fetch(FetchRequest<Entry>(where: "text == "))
                }
                try expect(format.message.contains("^"), format.message)
                try expectError(.invalidRequest) { _ = try context.fetch(FetchRequest<Entry>(limit: -1)) }
            }
        },
        ConformanceCase("ten thousand objects are saved at once and come back in order") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for number in 0..<10_000 {
                    let entry = Entry(context: context)
                    entry.count = number
                    entry.text = "number \(number)"
                }
                try context.save()
            }
            let counts = try await container.perform { context in
                try context.fetch(FetchRequest<Entry>(sortedBy: [.ascending("count")])).map(\.count)
            }
            try expect(counts == Array(0..<10_000))
            let inOrderOfCreation = try await container.perform { try $0.fetch(FetchRequest<Entry>()).map(\.count) }
            try expect(inOrderOfCreation == Array(0..<10_000))
        },
    ]
}
