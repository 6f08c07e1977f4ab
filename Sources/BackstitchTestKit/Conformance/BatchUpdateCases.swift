import Backstitch
import Foundation

extension StoreConformance {
    /// Batch updates by constants and by expressions over columns, also of relationships.
    ///
    /// A backend must
    /// - compute all expressions of a request from the row before the update;
    /// - leave rows with equal values alone: no new version, no history;
    /// - refuse a value of the wrong type or range, name its key, and change nothing;
    /// - return the objects that did change.
    ///
    /// A store fails when its database's arithmetic rounds or wraps in cases that throw in memory.
    static let batchUpdateCases = [
        ConformanceCase("a batch update sets constants where the predicate holds, and live objects see it") { bench in
            let container = try bench.container()
            let background = container.newBackgroundContext()
            let id = try await background.perform { context in
                for number in 0..<5 {
                    let entry = Entry(context: context)
                    entry.count = number
                    entry.text = "before"
                }
                try context.save()
                return try context.fetchObjectIDs(FetchRequest<Entry>(where: "count == 3"))[0]
            }
            try await container.perform { context in
                let live = try context.existingObject(with: id) as? Entry
                let place = Location(context: context)
                try context.save()
                live?.created = Date(timeIntervalSince1970: 5)
                let result = try context.execute(
                    BatchUpdateRequest(
                        entityName: "Entry", where: Key<Int>("count") >= 3,
                        set: ["text": "after", "location": .value(.object(place.objectID))], resultType: .objectIDs))
                try expectEqual(result.objectIDs.count, 2)
                try expect(result.objectIDs.contains(id))
                try expect(live?.text == "after" && live?.location === place && place.entries.count == 2)
                try expectEqual(live?.created, Date(timeIntervalSince1970: 5))
                // The unsaved change is saved over the new row without a conflict.
                try context.save()
            }
            try await background.perform { context in
                try expectEqual((context.existingObject(with: id) as? Entry)?.text, "after")
                try expectEqual(context.count(for: FetchRequest<Entry>(where: "text == 'before'")), 3)
            }
        },
        ConformanceCase("a batch update raises versions, and who read before merges") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let mine = try other.existingObject(with: entry.objectID) as? Entry
                mine?.text = "mine"
                try context.execute(BatchUpdateRequest(entityName: "Entry", set: ["text": "theirs", "count": 4]))
                let rows = try context.coordinator.store.rows(of: entry.entity, keys: [entry.objectID.key])
                try expectEqual(rows.versions, [2])
                try expectEqual(entry.text, "theirs")
                try expectError(.saveConflict) { try other.save() }
                other.mergePolicy = .mergeByPropertyObjectTrump
                try other.save()
                try expect(mine?.text == "mine" && mine?.count == 4)
                try expectEqual(context.count(for: FetchRequest<Entry>(where: "text == 'mine' AND count == 4")), 1)
            }
        },
        ConformanceCase("batch requests of a child context reach its parents, and live results") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                entry.text = "old"
                try context.save()
                let controller = FetchedResultsController(
                    fetchRequest: FetchRequest<Entry>(sortedBy: [.ascending("text")]), context: context)
                try controller.performFetch()
                let child = ManagedObjectContext(parent: context)
                let mine = try child.existingObject(with: entry.objectID) as? Entry
                try expectEqual(mine?.text, "old")
                try child.execute(BatchUpdateRequest(entityName: "Entry", set: ["text": "new"]))
                try child.execute(BatchInsertRequest(entityName: "Entry", objects: [["text": "added"]]))
                try expect(mine?.text == "new" && entry.text == "new")
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["added", "new"])
                try child.execute(BatchDeleteRequest(objectIDs: [entry.objectID]))
                try expect(mine?.managedObjectContext == nil && entry.managedObjectContext == nil)
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["added"])
            }
        },
        ConformanceCase("a batch update computes from the row's own values, exactly") { bench in
            try await bench.container().perform { context in
                let exact = Decimal(string: "12345678901234567890.123") ?? 0
                try context.execute(
                    BatchInsertRequest(
                        entityName: "AllTypes",
                        objects: [
                            ["integer64": 1, "decimal": .decimal(exact), "double": 1.5, "string": "x"],
                            ["integer64": .null, "decimal": .null, "double": 2.5, "string": .null],
                        ]))
                let result = try context.execute(
                    BatchUpdateRequest(
                        entityName: "AllTypes",
                        set: [
                            "integer64": .key("integer64") * 3 + 1,
                            "decimal": .key("decimal") + .value(.decimal(Decimal(string: "0.001") ?? 0)),
                            "double": .key("double") - 0.5, "string": "<" + .key("string"), "integer32": 7,
                        ], resultType: .count))
                try expectEqual(result.count, 2)
                let rows = try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "AllTypes", sortedBy: [.ascending("double")]))
                try expectEqual(try rows.map { try $0.value(forKey: "integer64") }, [4, .null])
                let expected = Decimal(string: "12345678901234567890.124") ?? 0
                try expectEqual(rows.map { try $0.value(forKey: "decimal") }, [.decimal(expected), .null])
                try expectEqual(rows.map { try $0.value(forKey: "double") }, [1.0, 2.0])
                try expectEqual(rows.map { try $0.value(forKey: "string") }, ["<x", .null])
                try expectEqual(rows.map { try $0.value(forKey: "integer32") }, [7, 7])
            }
        },
        ConformanceCase("a batch update that a value does not fit changes nothing, and names object and key") { bench in
            try await bench.container().perform { context in
                try context.execute(
                    BatchInsertRequest(
                        entityName: "AllTypes", objects: [["integer16": 1], ["integer16": 32767], ["integer16": 2]]))
                let error = try expectError(.invalidValue) {
                    try context.execute(
                        BatchUpdateRequest(entityName: "AllTypes", set: ["integer16": .key("integer16") + 1]))
                }
                try expect(error.key == "integer16" && error.objectID != nil, error.message)
                try expectError(.invalidValue) {
                    try context.execute(BatchUpdateRequest(entityName: "AllTypes", set: ["integer16": "x"]))
                }
                try expectError(.invalidRequest) {
                    try context.execute(BatchUpdateRequest(entityName: "AllTypes", set: [:]))
                }
                let request = try FetchRequest<ManagedObject>(entityName: "AllTypes", where: "integer16 <= 2")
                try expectEqual(context.count(for: request), 2)
            }
        },
        ConformanceCase("a batch update leads a relationship to what another leads to, and to nothing else") { bench in
            try await bench.container(.diaries).perform { context in
                let diary = Diary(context: context), page = Page(context: context)
                page.number = 1 << 40
                page.diary = diary
                page.next = page
                try context.save()
                func lead(_ value: BatchExpression) throws {
                    try context.execute(BatchUpdateRequest(entityName: "Page", set: ["next": value]))
                }
                for value in [.key("name"), .key("number") + 1, .key("diary"), "a text"] as [BatchExpression] {
                    try expectError(.invalidValue) { try lead(value) }
                }
                try expectError(.invalidRequest) { try lead(.key("previous")) }
                try lead(.key("next"))
                try expect(page.next === page)
                try lead(nil)
                try expect(page.next == nil)
                try lead(.value(.object(page.objectID)))
                try expect(page.next === page)
            }
        },
        ConformanceCase("a batch update leaves rows alone that have the values already") { bench in
            try await bench.container().perform { context in
                try context.execute(
                    BatchInsertRequest(entityName: "Entry", objects: [["text": "x"], ["text": "y"], ["text": "x"]]))
                func update(_ value: BatchExpression) throws -> Int {
                    let result = try context.execute(
                        BatchUpdateRequest(entityName: "Entry", set: ["text": value], resultType: .count))
                    return result.count
                }
                try expectEqual(update("x"), 1)
                let number = try context.coordinator.transactionNumber()
                try expectEqual(update("x"), 0)
                try expectEqual(update("" + .key("text")), 0)
                try expectEqual(context.coordinator.transactionNumber(), number)
            }
        },
    ]
}
