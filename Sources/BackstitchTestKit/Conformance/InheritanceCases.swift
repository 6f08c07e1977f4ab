import Backstitch
import Foundation

extension StoreConformance {
    /// A family of entities: fetches of a parent return its children's objects, each with its own entity and class.
    ///
    /// A backend must
    /// - keep the entity of each row, and return it with the row (``RowBatch/entityName(at:)``);
    /// - find the rows of all kinds for a parent, or only one kind, as the request says;
    /// - take every column of the family in each row, with null for properties that the object does not have;
    /// - follow a relationship to a parent to rows of each kind, also in batch requests and delete rules.
    ///
    /// A store fails when it has a table for each entity and does not look into all of them. It also fails when it
    /// requires one kind's values in every row.
    static let inheritanceCases = [
        family("a fetch of a parent gives objects of each entity, each of its own class") { context in
            let house = try Household(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let request = FetchRequest<Item>(sortedBy: [.ascending("name")])
            for each in [context, other] {
                let found = try each.fetch(request)
                try expectEqual(found.map(\.name), ["Ada", "Bo", "Cy"])
                try expectEqual(found.map(\.entity.name), ["Duty", "Chore", "Memo"])
                try expectEqual(found.map(\.objectID), [house.duty, house.chore, house.memo].map(\.objectID))
                try expect(found[0] is Duty && found[1] is Chore && found[2] is Memo)
                try expectEqual(try each.count(for: request), 3)
                try expectEqual(try each.fetchObjectIDs(request), found.map(\.objectID))
                try expectEqual(try each.fetch(FetchRequest<Duty>()).count, 2)
                try expectEqual(try each.fetch(FetchRequest<Chore>()).count, 1)
                try expectEqual(try each.count(for: FetchRequest<Memo>()), 1)
                try expectEqual((found[1] as? Chore)?.weeks, 8)
                try expectEqual((found[2] as? Memo)?.tone, "plain")
            }
        },
        family("batch requests on a parent reach all kinds, and tell of each by its own entity") { context in
            let house = try Household(context)
            try context.execute(
                BatchInsertRequest(
                    entityName: "Chore", objects: [["name": "Di", "owner": .object(house.folder.objectID)]]))
            let renamed = try context.execute(
                BatchUpdateRequest(
                    entityName: "Item", where: Key<String>("name") > "Ada", set: ["name": .key("name") + "!"],
                    resultType: .objectIDs))
            try expectEqual(Set(renamed.objectIDs.map(\.entityName)), ["Chore", "Memo"])
            try expectEqual(renamed.count, 3)
            try expectEqual(house.memo.name, "Cy!")
            let constant = try context.execute(
                BatchUpdateRequest(entityName: "Duty", set: ["name": "duty"], resultType: .objectIDs))
            try expectEqual(Set(constant.objectIDs.map(\.entityName)), ["Duty", "Chore"])
            var duties = BatchUpdateRequest(entityName: "Duty", set: ["effort": 3], resultType: .count)
            duties.includesSubentities = false
            try expectEqual(context.execute(duties).count, 1)
            var sums = DictionaryFetchRequest(entityName: "Duty", [.count(as: "n"), .sum("effort", as: "effort")])
            try expectEqual(Array(context.fetch(sums)[0].values), [3, 3])
            sums.includesSubentities = false
            try expectEqual(Array(context.fetch(sums)[0].values), [1, 3])
            try expectEqual(house.memo.name, "Cy!")
            try expectError(.invalidRequest) {
                try context.execute(BatchUpdateRequest(entityName: "Item", set: ["tone": "x"]))
            }
            let gone = try context.execute(
                BatchDeleteRequest(FetchRequest<Folder>(), resultType: .objectIDs))
            try expectEqual(Set(gone.objectIDs.map(\.entityName)), ["Folder", "Duty", "Chore"])
            try expect(house.duty.managedObjectContext == nil && house.chore.managedObjectContext != nil)
            try context.execute(BatchDeleteRequest(FetchRequest<Duty>()))
            try expectEqual(context.fetch(FetchRequest<Item>()), [house.memo])
        },
        family("a fetch without subentities gives objects of the entity itself") { context in
            let house = try Household(context)
            var duties = FetchRequest<Duty>()
            duties.includesSubentities = false
            try expectEqual(try context.fetch(duties), [house.duty])
            let new = Chore(context: context)
            try expectEqual(try context.count(for: duties), 1)
            try expectEqual(try context.count(for: FetchRequest<Duty>()), 3)
            try expectEqual(try Set(context.fetch(FetchRequest<Item>())), [house.duty, house.chore, house.memo, new])
        },
        family("predicates of a parent's properties find objects of all kinds; a child's are not the parent's") {
            context in
            let house = try Household(context)
            house.memo.owner = house.folder
            house.chore.related = [house.memo]
            try context.save()
            func names(_ format: String, _ arguments: any PredicateArgument...) throws -> [String?] {
                let predicate = try FetchPredicate(format: format, arguments: arguments)
                let request = FetchRequest<Item>(predicate: predicate, sortedBy: [.ascending("name")])
                return try ManagedObjectContext(coordinator: context.coordinator).fetch(request).map(\.name)
            }
            try expectEqual(try names("owner == %@", house.folder), ["Ada", "Cy"])
            try expectEqual(try names("ANY related == %@", house.memo), ["Bo"])
            try expectEqual(try names("ANY related.name == 'Cy' OR name BEGINSWITH 'A'"), ["Ada", "Bo"])
            try expectEqual(try names("SELF IN %@", [house.duty.objectID, house.memo.objectID]), ["Ada", "Cy"])
            try expectEqual(
                try context.fetch(FetchRequest<Folder>(where: "ANY items == %@", house.memo)), [house.folder])
            try expectEqual(
                try context.fetch(FetchRequest<Duty>(where: "effort >= 0 AND name == 'Bo'")).map(\.objectID),
                [house.chore.objectID])
            try expectError(.invalidPredicate) { _ = try names("effort > 0") }
            try expectError(.invalidPredicate) { _ = try context.fetch(FetchRequest<Duty>(where: "tone == 'x'")) }
        },
        family("a relationship to a parent leads to objects of every kind, one to a child to that kind only") {
            context in
            let house = try Household(context)
            house.folder.items = [house.duty, house.memo]
            house.chore.reviewer = house.folder
            house.memo.related = [house.duty, house.chore]
            house.memo.tags = [Tag(context: context)]
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let folder = try other.existingObject(with: house.folder.objectID) as? Folder
            try expectEqual(Set(folder?.items.map(\.objectID) ?? []), [house.duty.objectID, house.memo.objectID])
            try expectEqual(folder?.reviews.map(\.objectID), [house.chore.objectID])
            let memo = folder?.items.compactMap { $0 as? Memo }.first
            try expectEqual(memo?.related.count, 2)
            try expectEqual(memo?.tags.first?.memos, memo.map { [$0] })
            try expect(memo?.owner === folder)
            try expectError(.invalidValue) { try house.folder.add(house.memo, to: "reviews") }
            try expectError(.invalidRequest) { _ = try house.duty.value(forKey: "tone") }
            try expectEqual(
                Set(house.duty.entity.ownProperties.map(\.name)).isSuperset(of: ["name", "effort", "owner"]), true)
        },
        family("an identity says the object's own entity, and is understood by a parent's name") { context in
            let house = try Household(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let called = ObjectID(entityName: "Item", key: house.chore.key)
            let found = try other.existingObject(with: called)
            try expect(found is Chore)
            try expectEqual(found.objectID, house.chore.objectID)
            try expect(other.registeredObject(for: called) === found)
            let third = ManagedObjectContext(coordinator: context.coordinator)
            try expect(try third.object(with: called) is Chore)
        },
        family("objects of a family are changed, deleted and cascaded to like others") { context in
            let house = try Household(context)
            house.chore.weeks = 9
            house.chore.name = "Bob"
            house.duty.related = [house.chore, house.memo]
            house.folder.items = [house.duty, house.memo]
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let chore = try other.existingObject(with: house.chore.objectID) as? Chore
            try expectEqual(chore?.weeks, 9)
            try expectEqual(chore?.changedValues, [:])
            context.delete(house.folder)
            try context.save()
            try expectEqual(try context.fetch(FetchRequest<Item>()), [house.chore])
            house.chore.name = "Ben"
            context.rollback()
            try expectEqual(house.chore.name, "Bob")
        },
        family("a child context works on a family as its parent does") { context in
            let house = try Household(context)
            let child = ManagedObjectContext(parent: context)
            let mine = try child.fetch(FetchRequest<Item>(sortedBy: [.ascending("name")]))
            try expect(mine[1] is Chore && mine[2] is Memo)
            (mine[2] as? Memo)?.tone = "loud"
            let new = Chore(context: child)
            new.weeks = 1
            mine[0].related = [mine[2], new]
            new.owner = try child.existingObject(with: house.folder.objectID) as? Folder
            try child.save()
            try expectEqual(house.memo.tone, "loud")
            try expectEqual(house.duty.related.count, 2)
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let found = try other.existingObject(with: new.objectID) as? Chore
            try expectEqual(found?.weeks, 1)
            try expectEqual(found?.owner?.objectID, house.folder.objectID)
        },
        family("values of a family are fetched for the entity that is asked for") { context in
            _ = try Household(context)
            for (entity, names) in [("Item", ["Ada", "Bo", "Cy"]), ("Duty", ["Ada", "Bo"]), ("Memo", ["Cy"])] {
                let rows = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: entity, [.key("name")], where: FetchPredicate(format: "name != nil"),
                        sortedBy: [.ascending("name")]))
                try expectEqual(rows.map { $0["name"] }, names.map { .string($0) })
            }
        },
        family("there are no objects of an abstract entity") { context in
            try expectError(.invalidRequest) { _ = try context.insertObject(entityName: "Item") }
            _ = Item(context: context)
            try expectError(.invalidRequest) { try context.save() }
        },
        family("objects that lack a value that another kind needs can be saved; those that need it cannot") { context in
            let memo = Memo(context: context)
            _ = Duty(context: context)
            try context.save()
            memo.tone = nil
            let error = try expectError(.validation) { try context.save() }
            try expectEqual(error.key, "tone")
        },
        family("a conflict over an object of a family is settled like others") { context in
            let house = try Household(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let theirs = try other.existingObject(with: house.chore.objectID) as? Chore
            theirs?.weeks = 20
            try other.save()
            house.chore.name = "mine"
            try expectError(.saveConflict) { try context.save() }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try expectEqual(house.chore.weeks, 20)
            try expectEqual(house.chore.name, "mine")
        },
        ConformanceCase(
            "a parent's unique constraint holds across its children", needs: .inheritance, .uniqueConstraints
        ) { bench in
            try await bench.container(.uniqueFamily).perform { context in
                let house = try Household(context)
                let rival = Chore(context: context)
                rival.name = "Ada"
                let error = try expectError(.constraint) { try context.save() }
                try expectEqual(error.constraintConflict?.objectID, rival.objectID)
                try expectEqual(error.constraintConflict?.otherObjectID, house.duty.objectID)
                context.mergePolicy = .mergeByPropertyStoreTrump
                rival.owner = house.folder
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<Item>()), 3)
                try expect(house.duty.owner === house.folder)
                let memo = Memo(context: context)
                context.mergePolicy = .error
                try expectError(.constraint) { try context.save() }
                memo.tone = "other"
                try context.save()
            }
        },
        ConformanceCase("a family is there when the store is opened again", needs: .inheritance) { bench in
            guard bench.store.isDurable else { return }
            let container = try bench.container(.family)
            try await container.perform { _ = try Household($0) }
            let again = try bench.reopen(container, .family)
            let names = try await again.perform { context in
                try context.fetch(FetchRequest<Item>(sortedBy: [.ascending("name")])).map(\.objectID.entityName)
            }
            try expectEqual(names, ["Duty", "Chore", "Memo"])
            try again.close()
        },
    ]

    /// A case on the journal with a family of items.
    private static func family(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .inheritance) { try await $0.container(.family).perform(body) }
    }
}

/// A saved duty Ada in a folder, a chore Bo, and a memo Cy.
private struct Household {
    let duty: Duty
    let chore: Chore
    let memo: Memo
    let folder: Folder

    /// Makes and saves them. In a model with unique names, the duty is in no folder.
    init(_ context: ManagedObjectContext) throws {
        duty = Duty(context: context)
        chore = Chore(context: context)
        memo = Memo(context: context)
        folder = Folder(context: context)
        (duty.name, chore.name, memo.name) = ("Ada", "Bo", "Cy")
        if duty.entity.uniquenessConstraints.isEmpty { duty.owner = folder }
        try context.save()
    }
}
