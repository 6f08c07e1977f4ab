import Backstitch
import Foundation

extension StoreConformance {
    /// The number of stored rows at the other end of a relationship.
    private static func reached(from object: ManagedObject, by name: String, in store: any PersistentStore) throws
        -> Int
    {
        let property = try object.entity.requireProperty(named: name)
        return try store.related(by: property, of: object.entity, sources: [object.objectID.key]).rows.count
    }

    /// Traces of deleted objects: links, references, versions, and values after a store was opened again.
    ///
    /// A backend must
    /// - give a reinserted object none of its former links;
    /// - raise the version of objects unlinked by a batch delete;
    /// - read a reference to a missing row as nil, in rows, related rows and predicates, but keep it stored;
    /// - return every value unchanged after it was closed and opened.
    ///
    /// A store fails when foreign keys refuse a reference to a missing row: sync brings references before their
    /// targets.
    static let aftermathCases = [
        ConformanceCase("an object that is inserted again has none of the links that it had before") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), tag = Tag(context: context)
                let (other, label) = (Entry(context: context), Tag(context: context))
                entry.tags = [tag, label]
                other.tags = [tag]
                try context.save()
                let ids = (entry.objectID, tag.objectID)
                context.delete(entry)
                context.delete(tag)
                try context.save()
                let fresh = ManagedObjectContext(coordinator: context.coordinator)
                let again = try fresh.insertObject(with: ids.0) as? Entry
                let tagAgain = try fresh.insertObject(with: ids.1) as? Tag
                try fresh.save()
                fresh.reset()
                let reader = ManagedObjectContext(coordinator: context.coordinator)
                try expect(again != nil && tagAgain != nil)
                let (one, two) = (
                    try reader.existingObject(with: ids.0) as? Entry, try reader.existingObject(with: ids.1) as? Tag
                )
                try expectEqual(one?.tags.count, 0)
                try expectEqual(two?.entries.count, 0)
                try expectEqual(reader.count(for: FetchRequest<Entry>(where: "tags.@count > 0")), 0)
            }
        },
        ConformanceCase("an object that a batch delete unlinks has a new version") { bench in
            try await bench.container().perform { context in
                let place = Location(context: context), entry = Entry(context: context)
                entry.location = place
                try context.save()
                let store = context.coordinator.store
                let before = try store.rows(of: entry.entity, keys: [entry.objectID.key])
                try context.execute(BatchDeleteRequest(FetchRequest<Location>()))
                let after = try store.rows(of: entry.entity, keys: [entry.objectID.key])
                try expectEqual(Array(before.versions), [1])
                try expectEqual(Array(after.versions), [2])
            }
        },
        ConformanceCase("a reference to an object that is gone reads as nil") { bench in
            try await bench.container(.diaries).perform { context in
                let owner = Warden(context: context), thing = Diary(context: context)
                thing["keeper"] = owner
                owner.name = "Ada"
                try context.save()
                try expectEqual(reached(from: thing, by: "keeper", in: context.coordinator.store), 1)
                try context.execute(BatchDeleteRequest(objectIDs: [owner.objectID]))
                try expectEqual(reached(from: thing, by: "keeper", in: context.coordinator.store), 0)
                let reader = ManagedObjectContext(coordinator: context.coordinator)
                let read = try reader.existingObject(with: thing.objectID)
                try expect((read["keeper"] as ManagedObject?) == nil)
                let named = try FetchRequest<Diary>(where: "keeper.name == 'Ada'")
                try expectEqual(reader.count(for: named), 0)
            }
        },
        ConformanceCase("values of every type are there when the store is opened again") { bench in
            guard bench.store.isDurable else { return }
            for values in ExtremeValues.all {
                let container = try bench.container()
                let id = try await container.perform { context in
                    let object = try context.insertObject(entityName: "AllTypes")
                    for (key, value) in values { try object.setValue(value, forKey: key) }
                    try context.save()
                    return object.objectID
                }
                let again = try bench.reopen(container)
                try await again.perform { context in
                    let object = try context.existingObject(with: id)
                    for (key, value) in values where key != "external" {
                        try expectEqual(object.value(forKey: key), value)
                    }
                }
                try again.close()
            }
        },
    ]
}
