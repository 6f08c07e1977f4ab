import Backstitch
import Foundation

extension StoreConformance {
    /// Independent contexts, parents and children, and changes from elsewhere.
    ///
    /// A backend must
    /// - read a row again when a context asks for it after a change from elsewhere;
    /// - return versions with rows and after saves, because ``MergeConflict`` reports both versions;
    /// - serve the stored rows to contexts that never merge by themselves.
    ///
    /// A store fails when two contexts share one cached batch, and one of them sees the other's save in it.
    static let familyCases = [
        ConformanceCase("a child context follows its parent's later changes, and keeps its own") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), gone = Entry(context: context)
                entry.text = "first"
                try context.save()
                let child = ManagedObjectContext(parent: context)
                let mine = try child.existingObject(with: entry.objectID) as? Entry
                let mineGone = try child.existingObject(with: gone.objectID)
                try expectEqual(mine?.text, "first")
                mine?.count = 5
                entry.text = "second"
                context.delete(gone)
                let new = Entry(context: context)
                new.text = "new"
                context.processPendingChanges()
                try expectEqual(try child.fetch(FetchRequest<Entry>(where: "text == 'new'")).count, 1)
                try expectEqual(mine?.text, "second")
                try expectEqual(mine?.count, 5)
                try expect(mineGone.managedObjectContext == nil)
            }
        },
        ConformanceCase("a context that does not merge by itself shows others' saves when it is told to") { bench in
            try await bench.container().perform { context in
                let follower = ManagedObjectContext(coordinator: context.coordinator)
                follower.automaticallyMergesChangesFromParent = false
                let entry = Entry(context: context)
                try context.save()
                let theirs = try follower.existingObject(with: entry.objectID) as? Entry
                try expectEqual(theirs?.text, "")
                entry.text = "changed"
                try context.save()
                _ = try follower.fetch(FetchRequest<Entry>())
                try expectEqual(theirs?.text, "")
                follower.mergeChangesFromParent()
                try expectEqual(theirs?.text, "changed")
            }
        },
        ConformanceCase(
            "changes from elsewhere are merged by identity into the contexts that are named", needs: .sharing
        ) { bench in
            let container = try bench.container()
            let elsewhere = try bench.store.isDurable ? bench.container() : container
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                try context.save()
                return entry.objectID
            }
            let background = container.newBackgroundContext()
            try await background.perform { _ = try ($0.existingObject(with: id) as? Entry)?.text }
            try await elsewhere.perform { context in
                (try context.existingObject(with: id) as? Entry)?.text = "from elsewhere"
                try context.save()
            }
            try await background.perform { context in
                ManagedObjectContext.mergeChanges(fromRemoteContextSave: StoreChanges(updated: [id]), into: [context])
                try expectEqual((try context.existingObject(with: id) as? Entry)?.text, "from elsewhere")
            }
        },
        ConformanceCase(
            "a merge by hand shows what another container has saved, and has the new objects registered",
            needs: .sharing
        ) { bench in
            let container = try bench.container()
            let elsewhere = try bench.store.isDurable ? bench.container() : container
            let id = try await elsewhere.perform { context in
                let entry = Entry(context: context)
                entry.text = "first"
                try context.save()
                return entry.objectID
            }
            for depth in 0...1 {
                let mine = container.newBackgroundContext()
                let old = try await mine.perform { context in
                    context.automaticallyMergesChangesFromParent = false
                    let reader = depth == 0 ? context : ManagedObjectContext(parent: context)
                    let entry = try reader.existingObject(with: id) as? Entry
                    let text = entry?.text
                    let other = ManagedObjectContext(coordinator: elsewhere.coordinator)
                    (try other.existingObject(with: id) as? Entry)?.text = "changed \(depth)"
                    let new = Entry(context: other).objectID
                    try other.save()
                    reader.merge(StoreChanges(inserted: [new], updated: [id]))
                    try expectEqual(entry?.text, "changed \(depth)")
                    try expectEqual(reader.registeredObject(for: new)?.objectID, new)
                    try expectEqual((reader.registeredObject(for: new) as? Entry)?.text, "")
                    reader.processPendingChanges()
                    try expectEqual(reader.registeredObject(for: new)?.objectID, nil, "nobody holds it any more")
                    try expect(!reader.hasChanges)
                    return text
                }
                try expectEqual(old, depth == 0 ? "first" : "changed 0")
            }
            try elsewhere.close()
            if bench.store.isDurable { try container.close() }
        },
        ConformanceCase("refreshing an object without its changes takes its links back at both ends") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), old = Location(context: context), tag = Tag(context: context)
                entry.location = old
                try context.save()
                let new = Location(context: context)
                entry.location = new
                entry.tags = [tag]
                entry.text = "changed"
                context.refresh(entry, mergeChanges: false)
                try expectEqual(entry.location, old)
                try expectEqual(entry.text, "")
                try expect(new.entries.isEmpty && tag.entries.isEmpty && entry.tags.isEmpty)
                try expectEqual(old.entries, [entry])
                try expect(!entry.hasChanges)
            }
        },
        ConformanceCase("a new object that is edited later is told of again") { bench in
            try await bench.container().perform { context in
                let controller = FetchedResultsController(
                    fetchRequest: try FetchRequest<Entry>(where: "text == 'wanted'", sortedBy: [.ascending("text")]),
                    context: context)
                try controller.performFetch()
                let entry = Entry(context: context)
                context.processPendingChanges()
                entry.text = "wanted"
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects, [entry])
            }
        },
        ConformanceCase(
            "a conflict tells what was read, is stored and was to be saved; entities may have their own policy"
        ) {
            bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), tag = Tag(context: context)
                entry.text = "base"
                tag.name = "base"
                try context.save()
                let mine = ManagedObjectContext(coordinator: context.coordinator)
                mine.automaticallyMergesChangesFromParent = false
                mine.entityMergePolicies["Tag"] = .mergeByPropertyObjectTrump
                let myEntry = try mine.existingObject(with: entry.objectID) as? Entry
                let myTag = try mine.existingObject(with: tag.objectID) as? Tag
                entry.text = "theirs"
                tag.name = "theirs"
                try context.save()
                myEntry?.text = "mine"
                myTag?.name = "mine"
                let error = try expectError(.saveConflict) { try mine.save() }
                let conflict = error.mergeConflict
                try expectEqual(conflict?.objectID, entry.objectID)
                try expectEqual(conflict?.base["text"], "base")
                try expectEqual(conflict?.stored?["text"], "theirs")
                try expectEqual(conflict?.own["text"], "mine")
                try expectEqual(conflict?.changedHere, ["text"])
                try expectEqual(conflict?.changedInStore, ["text"])
                try expectEqual(conflict?.readVersion, 1)
                try expectEqual(conflict?.storedVersion, 2)
                mine.entityMergePolicies["Entry"] = .mergeByPropertyStoreTrump
                try mine.save()
                try expectEqual(myEntry?.text, "theirs")
                try expectEqual(myTag?.name, "mine")
            }
        },
    ]
}
