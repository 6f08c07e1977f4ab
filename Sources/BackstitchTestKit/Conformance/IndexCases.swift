import Backstitch
import Foundation

extension StoreConformance {
    /// Requests with and without a useful index.
    private static func requests(_ number: UUID) throws -> [FetchRequest<ManagedObject>] {
        let predicates = try [
            "string == 'Äpfel 3'", "string ==[c] 'ÄPFEL 3'", "string ==[cd] 'apfel 3'", "string BEGINSWITH 'Ä'",
            "string BEGINSWITH[c] 'ä'",
            "string BEGINSWITH[cd] 'APFEL'", "string BEGINSWITH[cd] ''",
            "NOT string BEGINSWITH[c] 'ä'", "string > 'M'",
            "string <[c] 'm'",
            "string IN[c] {'BIRNE 1', 'äpfel 2'}", "string == NIL", "string != 'Birne 1'", "integer32 == 3",
            "integer32 BETWEEN {2, 5}",
            "integer32 > 2.5", "integer32 == NIL", "decimal == 1.50", "decimal >= 0.5 AND decimal < 10",
            "decimal != NIL", "double < 0",
            "double == NIL", "double >= 1.5", "boolean == YES", "boolean == NO AND date < CAST_0", "location == NIL",
            "uuid == NUMBER",
        ].map { text -> FetchPredicate in
            let format = text.replacing("CAST_0", with: "%@").replacing("NUMBER", with: "%@")
            let argument: (any PredicateArgument)? =
                text.hasSuffix("CAST_0") ? Date(timeIntervalSince1970: 5000) : text.hasSuffix("NUMBER") ? number : nil
            return try FetchPredicate(format: format, arguments: format.contains("%@") ? [argument] : [])
        }
        let orders: [[FetchSortDescriptor]] = [
            [], [.ascending("string")], [.descending("string", options: .caseInsensitive)],
            [.descending("integer32"), .ascending("decimal")],
            [.ascending("double")], [.descending("decimal")], [.ascending("boolean"), .descending("date")],
        ]
        return predicates.flatMap { predicate in
            orders.map { FetchRequest(entityName: "AllTypes", predicate: predicate, sortedBy: $0) }
        } + orders.map { FetchRequest(entityName: "AllTypes", sortedBy: $0, limit: 7, offset: 3) }
    }

    /// Indexes change only speed: with them and without them a fetch finds the same objects, in the same order.
    ///
    /// A backend must
    /// - find with an index exactly the rows that the predicate means, folded text, NaN, nil and decimals included;
    /// - give the same order with an index as without;
    /// - make, drop and rename indexes with the model, without a change to any row.
    ///
    /// A store fails when the index has another collation than the comparison, which shows only when the plan uses the
    /// index. It also fails when a text begins with another form of a prefix and lies outside the searched range.
    static let indexCases = [
        ConformanceCase("indexes change nothing of what is found, nor of its order", needs: .migration) { bench in
            let numbers = (0..<40).map { _ in UUID() }
            let container = try bench.container(bench.store.isDurable ? .unindexed : .indexed)
            try await container.perform { context in
                let place = Location(context: context)
                for (index, number) in numbers.enumerated() {
                    let thing = try context.make("AllTypes", ["uuid": .uuid(number), "boolean": .bool(index % 3 == 0)])
                    let fruits = ["Äpfel", "äpfel", "A\u{308}PFEL", "Birne", "ﬁg", "Zitrone"]
                    if index % 7 != 0 { thing["string"] = "\(fruits[index % 6]) \(index % 4)" }
                    if index % 5 != 0 { thing["integer32"] = index % 8 }
                    if index % 6 != 0 { thing["decimal"] = Decimal(index % 9) / 2 - 1 }
                    thing["double"] = [Double.nan, -0.0, 0, 1.5, -.infinity, 2e300, nil][index % 7]
                    if index % 4 != 0 { thing["date"] = Date(timeIntervalSince1970: Double(index) * 300) }
                    if index % 2 == 0 { thing["location"] = place }
                }
                try context.save()
            }
            let find: @Sendable (ManagedObjectContext) throws -> [[ObjectID]] = { context in
                try requests(numbers[3]).map { try context.fetchObjectIDs($0) }
            }
            let found = try await container.perform(find)
            try expect(found.contains { $0.count == 1 } && found.contains { $0.count > 10 })
            // The same in memory, without any index.
            let objects = try await container.perform { context in
                let all = try context.all("AllTypes")
                return try requests(numbers[3]).filter { $0.sortDescriptors.isEmpty && $0.limit == nil }.map {
                    request in
                    let predicate = try request.predicate?.resolved(
                        for: context.model.requireEntity(named: "AllTypes"), in: context.model)
                    return try all.filter { try predicate?.evaluate($0) ?? true }.map(\.objectID)
                }
            }
            let unordered = try zip(requests(numbers[3]), found).filter {
                $0.0.sortDescriptors.isEmpty && $0.0.limit == nil
            }
            try expectEqual(unordered.map(\.1), objects)
            guard bench.store.isDurable else { return try container.close() }
            let other = try bench.reopen(container, .indexed)
            let foundAgain = try await other.perform(find)
            try expectEqual(foundAgain, found)
            try other.close()
        },
        ConformanceCase.migration("indexes come and go with the model, and follow renamed properties") { bench in
            func note(_ name: String, _ change: (EntityDescription) -> EntityDescription) -> ManagedObjectModel {
                ManagedObjectModel([
                    change(
                        EntityDescription(
                            "Note", [.attribute(name, .string).renamed(from: "title"), .attribute("size", .integer64)]))
                ])
            }
            let models = [
                ("title", note("title") { $0 }),
                ("title", note("title") { $0.indexed("title").indexed("size", "title") }),
                ("title", note("title") { $0.indexed(.descending("title", options: .caseInsensitive)) }),
                (
                    "headline",
                    note("headline") { $0.indexed(.descending("headline", options: .caseInsensitive)).indexed("size") }
                ),
                ("headline", note("headline") { $0.indexed("size") }), ("headline", note("headline") { $0 }),
            ]
            for (round, (name, model)) in models.enumerated() {
                for _ in 0..<2 {
                    try await bench.open(model) { context in
                        let request = try FetchRequest<ManagedObject>(
                            entityName: "Note", where: "%K BEGINSWITH[c] 'NOTE'", name, sortedBy: [.ascending("size")])
                        try expectEqual(context.fetch(request).map { $0["size"] as Int? }, (0..<round).map { $0 })
                    }
                }
                try await bench.open(model) {
                    _ = try $0.make("Note", [name: .string("note \(round)"), "size": .int(Int64(round))])
                }
            }
        },
    ]
}
