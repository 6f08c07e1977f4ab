import Backstitch
import Foundation

extension StoreConformance {
    /// Relationships of every kind keep both of their ends consistent, before a save and after it.
    ///
    /// A backend must
    /// - return the objects of a to-many for each storage of the link, on this side or the other;
    /// - keep a many-to-many link once, even if it is made several times;
    /// - return a one-to-one from both ends, although only one of them has the column;
    /// - ignore a link to a missing object.
    ///
    /// A store fails when it keeps links twice and writes only one of the two, or answers only for the side with the
    /// column.
    static let graphCases = [
        ConformanceCase("both ends of a to-one follow when one is set") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let home = Location(context: context), away = Location(context: context)
                let entry = Entry(context: context)
                entry.location = home
                try expectEqual(home.entries, [entry])
                away.entries = [entry]
                try expect(entry.location === away)
                try expectEqual(home.entries, [])
                try context.save()
                entry.location = nil
                try expectEqual(away.entries, [])
                try context.save()
            }
            let linked = try await container.perform { context in
                try context.count(for: FetchRequest<Entry>(where: "location != nil"))
            }
            try expectEqual(linked, 0)
        },
        ConformanceCase("a saved relationship is found from both ends by another context") { bench in
            let container = try bench.container()
            let (entry, location) = try await container.perform { context in
                let location = Location(context: context)
                location.name = "Home"
                let entry = Entry(context: context)
                entry.location = location
                try context.save()
                return (entry.objectID, location.objectID)
            }
            try await container.perform { context in
                let found = try context.existingObject(with: location) as? Location
                try expectEqual(found?.entries.map(\.objectID), [entry])
                try expectEqual((try context.existingObject(with: entry) as? Entry)?.location?.name, "Home")
            }
        },
        ConformanceCase("changing only a relationship of a saved object is saved") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let entry = Entry(context: context), location = Location(context: context)
                try context.save()
                return [entry.objectID, location.objectID]
            }
            try await container.perform { context in
                let entry = try context.existingObject(with: ids[0]) as? Entry
                entry?.location = try context.existingObject(with: ids[1]) as? Location
                try expect(entry?.isUpdated == true)
                try context.save()
            }
            let location = try await container.perform {
                try ($0.existingObject(with: ids[0]) as? Entry)?.location?.objectID
            }
            try expectEqual(location, ids[1])
        },
        ConformanceCase("many-to-many links are made and cut from either end") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let entry = Entry(context: context)
                let tags = (0..<3).map { _ in Tag(context: context) }
                entry.tags = [tags[0], tags[1]]
                try expectEqual(tags[0].entries, [entry])
                try tags[2].add(entry, to: "entries")
                try expectEqual(entry.tags.count, 3)
                try context.save()
                return [entry.objectID] + tags.map(\.objectID)
            }
            try await container.perform { context in
                let tag = try context.existingObject(with: ids[1]) as? Tag
                let entry = try context.existingObject(with: ids[0]) as? Entry
                try expectEqual(entry?.tags.count, 3)
                if let tag, let entry { try tag.remove(entry, from: "entries") }
                try expect(entry?.isUpdated == true, "the owner of the links has changed")
                try context.save()
            }
            try await container.perform { context in
                let entry = try context.existingObject(with: ids[0]) as? Entry
                try expectEqual(Set((entry?.tags ?? []).map(\.objectID)), Set(ids[2...]))
                try expectEqual((try context.existingObject(with: ids[1]) as? Tag)?.entries, [])
            }
        },
        ConformanceCase("a one-to-one partner is taken over from whoever had it") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let first = Entry(context: context), second = Entry(context: context), cover = Cover(context: context)
                first.cover = cover
                try expect(cover.entry === first)
                try context.save()
                second.cover = cover
                try expect(first.cover == nil && cover.entry === second)
                try context.save()
                return [first.objectID, second.objectID, cover.objectID]
            }
            try await container.perform { context in
                try expectEqual((try context.existingObject(with: ids[0]) as? Entry)?.cover?.objectID, nil)
                try expectEqual((try context.existingObject(with: ids[1]) as? Entry)?.cover?.objectID, ids[2])
                try expectEqual((try context.existingObject(with: ids[2]) as? Cover)?.entry?.objectID, ids[1])
            }
        },
        ConformanceCase("a relationship of an entity to itself has its two ends apart") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let root = Entry(context: context)
                let replies = (0..<3).map { _ in Entry(context: context) }
                root.replies = Set(replies)
                try expect(replies.allSatisfy { $0.parent === root } && root.parent == nil)
                try context.save()
                return [root.objectID] + replies.map(\.objectID)
            }
            try await container.perform { context in
                let root = try context.existingObject(with: ids[0]) as? Entry
                try expectEqual(Set((root?.replies ?? []).map(\.objectID)), Set(ids[1...]))
            }
        },
        ConformanceCase("a collection read after unsaved changes shows them") { bench in
            let container = try bench.container()
            let (location, entries) = try await container.perform { context in
                let location = Location(context: context)
                let entries = (0..<3).map { _ in Entry(context: context) }
                location.entries = Set(entries)
                try context.save()
                return (location.objectID, entries.map(\.objectID))
            }
            try await container.perform { context in
                let moved = try context.existingObject(with: entries[0]) as? Entry
                moved?.location = nil
                let added = Entry(context: context)
                added.location = try context.object(with: location) as? Location
                let members = (try context.existingObject(with: location) as? Location)?.entries ?? []
                try expectEqual(Set(members.map(\.objectID)), Set(entries[1...] + [added.objectID]))
            }
        },
        ConformanceCase("objects of another context or entity are refused, and nothing changes") { bench in
            let container = try bench.container()
            let other = container.newBackgroundContext()
            try await other.perform { foreign in
                let location = Location(context: foreign)
                let context = ManagedObjectContext(coordinator: foreign.coordinator)
                let entry = Entry(context: context)
                try expectError(.invalidRequest) { try entry.setObject(location, forKey: "location") }
                try expectError(.invalidValue) { try entry.setObject(Tag(context: context), forKey: "location") }
                try expectError(.invalidRequest) { try entry.setObject(nil, forKey: "tags") }
                try expect(entry.location == nil)
            }
        },
    ]
}
