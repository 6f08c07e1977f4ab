import Backstitch
import Foundation

extension StoreConformance {
    /// Siblings below one parent have properties of the same name, with equal and with different types.
    ///
    /// A backend must
    /// - name columns by ``ResolvedProperty/columnName``, which tells the siblings apart, and not by the property's
    ///   name;
    /// - keep names apart that differ only in case, even if its own names ignore case;
    /// - report history and conflicts by the names that the program knows.
    ///
    /// A store fails when it confuses the second sibling's column with the first's: values of one type are then read as
    /// another.
    static let siblingCases = [
        ConformanceCase(
            "siblings have properties of one name, each with values and links of its own", needs: .inheritance
        ) {
            bench in
            let container = try bench.container(.family)
            let ids = try await container.perform { context in
                let (memo, chore) = try (context.make("Memo", ["name": "m"]), context.make("Chore", ["name": "c"]))
                try expectEqual([try memo.value(forKey: "title"), try chore.value(forKey: "title")], ["untitled", 7])
                try memo.setValue("text", forKey: "title")
                try chore.setValue(3, forKey: "title")
                try memo.setValue(.date(Date(timeIntervalSince1970: 60)), forKey: "due")
                try chore.setValue("tomorrow", forKey: "Due")
                try memo.setValue("only in memory", forKey: "draft")
                try chore.setValue(true, forKey: "draft")
                let folder = try context.make("Folder"), tag = try context.make("Tag")
                for item in [memo, chore] {
                    try item.setObject(folder, forKey: "folder")
                    item["tags"] = Set([tag])
                }
                try context.save()
                return [memo, chore, folder, tag].map(\.objectID)
            }
            let other = try bench.store.isDurable ? bench.reopen(container, .family) : container
            try await other.perform { context in
                context.reset()
                let items = try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Item", sortedBy: [.ascending("name")]))
                try expectEqual(items.map(\.objectID), [ids[1], ids[0]])
                try expectEqual(
                    [try items[0].value(forKey: "title"), try items[1].value(forKey: "title")], [3, "text"])
                try expectEqual(try items[0].value(forKey: "Due"), "tomorrow")
                try expectEqual(try items[0].value(forKey: "draft"), true)
                try expectEqual(try items[1].value(forKey: "due"), .date(Date(timeIntervalSince1970: 60)))
                for id in ids[2...] {
                    let end = try context.existingObject(with: id)
                    try expectEqual(try end.objects(forKey: "memos").map(\.objectID), [ids[0]])
                    try expectEqual(try end.objects(forKey: "duties").map(\.objectID), [ids[1]])
                }
                try expectEqual(try items[0].committedValues()["title"], 3)
                try expectError(.invalidRequest) { _ = try items[0].value(forKey: "due") }
            }
        },
        ConformanceCase("predicates, orders, batches and columns mean the sibling's own property", needs: .inheritance)
        {
            bench in
            try await bench.container(.family).perform { context in
                let folder = try context.make("Folder", ["name": "f"])
                for number in 1...3 {
                    let items = [
                        try context.make("Memo", ["title": .string("t\(number)")]),
                        try context.make("Duty", ["title": .int(Int64(10 - number))]),
                    ]
                    for item in items where number > 1 { try item.setObject(folder, forKey: "folder") }
                }
                try context.save()
                let fresh = ManagedObjectContext(coordinator: context.coordinator)
                for each in [context, fresh] {
                    func titles(_ entity: String, _ format: String) throws -> [Value] {
                        try each.fetch(
                            FetchRequest<ManagedObject>(
                                entityName: entity, where: format,
                                sortedBy: [.ascending("title")])
                        ).map { try $0.value(forKey: "title") }
                    }
                    try expectEqual(try titles("Memo", "title > 't1'"), ["t2", "t3"])
                    try expectEqual(try titles("Duty", "title < 9"), [7, 8])
                    try expectEqual(
                        try titles("Memo", "folder.name == 'f' AND ANY folder.duties.title == 7"), ["t2", "t3"])
                    try expectEqual(try titles("Duty", "folder == nil"), [9])
                    try expectError(.invalidPredicate) { _ = try titles("Item", "title == 1") }
                }
                let rows = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: "Duty", [.key("folder"), .sum("title", as: "sum")], groupBy: ["folder"]))
                try expectEqual(Set(rows.map { $0.value("sum") }), [9, 15])
                try context.execute(
                    BatchUpdateRequest(entityName: "Duty", set: ["title": .key("title") + 100], resultType: .count))
                try context.execute(BatchInsertRequest(entityName: "Memo", objects: [["title": "t4"]]))
                let after = ManagedObjectContext(coordinator: context.coordinator)
                try expectEqual(try after.all("Duty").map { try $0.value(forKey: "title") }, [109, 108, 107])
                try expectEqual(try after.all("Memo").map { try $0.value(forKey: "title") }, ["t1", "t2", "t3", "t4"])
            }
        },
        ConformanceCase("a conflict of a sibling tells of its own properties", needs: .inheritance) { bench in
            try await bench.container(.family).perform { context in
                let duty = try context.make("Duty", ["title": 1])
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                other.automaticallyMergesChangesFromParent = false
                other.mergePolicy = .error
                // Read as a row of the parent's.
                let same = try other.fetch(FetchRequest<ManagedObject>(entityName: "Item"))[0]
                try duty.setValue(2, forKey: "title")
                try context.save()
                try same.setValue(3, forKey: "title")
                let conflict = try expectError(.saveConflict) { try other.save() }.mergeConflict
                try expectEqual(conflict?.base["title"], 1)
                try expectEqual(conflict?.own["title"], 3)
                try expectEqual(conflict?.stored?["title"], 2)
            }
        },
        ConformanceCase("unique values of siblings are told apart", needs: .inheritance, .uniqueConstraints) { bench in
            try await bench.container(.uniqueFamily).perform { context in
                let memo = try context.make("Memo", ["code": "a"])
                try context.make("Duty", ["code": "a"])
                try context.save()
                let twin = try context.make("Chore", ["code": "a"])
                try expectError(.constraint) { try context.save() }
                try twin.setValue("b", forKey: "code")
                try memo.setValue("b", forKey: "code")
                try context.save()
            }
        },
        ConformanceCase(
            "derived attributes of one name are computed each from its own", needs: .inheritance, .derivedAttributes
        ) { bench in
            try await bench.container(.derivedFamily).perform { context in
                let memo = try context.make("Memo", ["title": "text"]), duty = try context.make("Duty", ["title": 4])
                let folder = try context.make("Folder")
                try duty.setObject(folder, forKey: "folder")
                try context.save()
                try expectEqual(try memo.value(forKey: "search"), "TEXT")
                try expectEqual(try duty.value(forKey: "search"), 4)
                try duty.setValue(5, forKey: "title")
                try context.save()
                try expectEqual(try duty.value(forKey: "search"), 5)
                let other = ManagedObjectContext(coordinator: context.coordinator)
                try expectEqual(try other.existingObject(with: folder.objectID).value(forKey: "load"), 5)
            }
        },
        ConformanceCase("history names the sibling's own property", needs: .inheritance, .history) { bench in
            try await bench.container(.family).perform { context in
                let duty = try context.make("Chore", ["title": 1]), memo = try context.make("Memo")
                try context.save()
                let before = try context.coordinator.currentHistoryToken()
                try duty.setValue(2, forKey: "title")
                try memo.setValue("x", forKey: "code")
                try context.save()
                let changes = try context.coordinator.history(after: before).flatMap(\.changes)
                try expectEqual(
                    Dictionary(uniqueKeysWithValues: changes.map { ($0.objectID, $0.updatedProperties) }),
                    [duty.objectID: ["title"], memo.objectID: ["code"]])
            }
        },
    ]
}
