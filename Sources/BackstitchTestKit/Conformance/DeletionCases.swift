import Backstitch
import Foundation

extension StoreConformance {
    /// Delete rules: cascade, nullify, deny and no action, over saves that also change and insert.
    ///
    /// A backend must
    /// - delete exactly the rows named in a save: the context has already applied the rules;
    /// - delete the links of a deleted row, on both sides;
    /// - apply the rules itself in a batch delete, which no context sees;
    /// - change nothing when a deny rule forbids one object of many.
    ///
    /// A store fails when remaining rows keep links to deleted rows, or when a refused save has deleted some.
    static let deletionCases = [
        ConformanceCase("nullify cuts the links and keeps the destinations") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let location = Location(context: context)
                let entry = Entry(context: context), tag = Tag(context: context)
                entry.location = location
                entry.tags = [tag]
                try context.save()
                context.delete(location)
                context.delete(tag)
                try context.save()
                try expect(location.managedObjectContext == nil && entry.location == nil && entry.tags.isEmpty)
                return [entry.objectID, location.objectID]
            }
            try await container.perform { context in
                let entry = try context.existingObject(with: ids[0]) as? Entry
                try expectEqual(entry?.value(forKey: "location"), .null)
                try expectEqual(entry?.tags, [])
                try expectError(.objectNotFound) { _ = try context.existingObject(with: ids[1]) }
            }
        },
        ConformanceCase("cascade takes the destinations along, through cycles too") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let root = Entry(context: context), middle = Entry(context: context), leaf = Entry(context: context)
                middle.parent = root
                leaf.parent = middle
                root.parent = leaf
                leaf.cover = Cover(context: context)
                _ = Entry(context: context)
                try context.save()
                context.delete(middle)
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Entry>()), 1)
                try expectEqual(context.count(for: FetchRequest<Cover>()), 0)
            }
        },
        ConformanceCase("deny refuses, names the object, and allows it once the others go too") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let location = Location(context: context), warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = location
                try context.save()
                context.delete(location)
                let error = try expectError(.deleteDenied) { try context.save() }
                try expect(error.objectID == location.objectID && error.key == "wardens")
                context.delete(warden)
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Location>()), 0)
            }
        },
        ConformanceCase("no action leaves the other end dangling, which reads as nil") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let location = Location(context: context), warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = location
                try context.save()
                context.delete(warden)
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Location>()), 1)
            }
        },
        ConformanceCase("an object that was never saved and is deleted leaves nothing behind") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let location = Location(context: context)
                try context.save()
                let entry = Entry(context: context)
                entry.location = location
                context.delete(entry)
                try context.save()
                try expectEqual(location.entries, [])
                try expectEqual(context.count(for: FetchRequest<Entry>()), 0)
                try expect(!context.hasChanges)
            }
        },
        ConformanceCase("a deleted object reads as it was until the save, and as empty afterwards, and never traps") {
            bench in
            let container = try bench.container()
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.text = "here"
                try context.save()
                context.delete(entry)
                try expect(entry.isDeleted && entry.text == "here")
                try context.save()
                try expectEqual(entry.text, "")
                try expect(entry.location == nil && entry.tags.isEmpty)
                try expect(!entry.isDeleted && entry.managedObjectContext == nil)
                try expectError(.objectNotFound) { try entry.setValue("x", forKey: "text") }
                try expectError(.objectNotFound) { _ = try entry.value(forKey: "text") }
            }
        },
    ]
}
