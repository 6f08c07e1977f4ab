import Backstitch
import Foundation

extension StoreConformance {
    /// Validation, rollback, child contexts, refreshing, and contexts that follow others' saves.
    ///
    /// A backend must
    /// - show no reader a part of a save, for any number of reading threads;
    /// - answer requests from several threads at once;
    /// - return a changed row with its new values as soon as the save returns;
    /// - write nothing before the whole request is found valid.
    ///
    /// A store fails when its readers see rows in the order of writing, or wait for one another.
    static let contextCases = [
        ConformanceCase("validation reports every fault of every object, and writes nothing") { bench in
            try await bench.container().perform { context in
                let first = Warden(context: context), second = Warden(context: context)
                first.name = nil
                second.name = nil
                _ = Location(context: context)
                let error = try expectError(.validation) { try context.save() }
                try expectEqual(Set(error.faults.compactMap(\.objectID)), [first.objectID, second.objectID])
                try expect(error.message.contains("name"), error.message)
                try expectEqual(
                    ManagedObjectContext(coordinator: context.coordinator).count(for: FetchRequest<Location>()), 0)
                first.name = "Ada"
                second.name = "Bea"
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Warden>()), 2)
            }
        },
        ConformanceCase("rollback brings back what was saved") { bench in
            try await bench.container().perform { context in
                let kept = Entry(context: context), location = Location(context: context)
                kept.text = "saved"
                kept.location = location
                try context.save()
                kept.text = "changed"
                kept.location = nil
                let new = Entry(context: context)
                new.location = location
                context.delete(location)
                context.rollback()
                try expect(!context.hasChanges && new.managedObjectContext == nil && !location.isDeleted)
                try expectEqual(kept.text, "saved")
                try expectEqual(location.entries, [kept])
                try expectEqual(context.count(for: FetchRequest<Entry>()), 1)
            }
        },
        ConformanceCase("setting a property to the value it has is no change") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                entry.text = "same"
                try context.save()
                entry.text = "same"
                try expect(!entry.hasChanges && !context.hasChanges)
                entry.text = "other"
                try expectEqual(entry.changedValues, ["text": .value("other")])
                try expectEqual(entry.committedValues()["text"], "same")
                entry.text = "same"
                try expect(!entry.hasChanges && !context.hasChanges)
            }
        },
        ConformanceCase("a context that lives on sees what others save, and keeps its own changes") { bench in
            let container = try bench.container()
            let background = container.newBackgroundContext()
            let id = try await background.perform { context in
                let entry = Entry(context: context)
                entry.text = "first"
                try context.save()
                return entry.objectID
            }
            try await background.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                entry?.count = 7
            }
            try await container.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                entry?.text = "second"
                entry?.location = Location(context: context)
                try context.save()
            }
            try await background.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                try expectEqual(entry?.text, "second")
                try expectEqual(entry?.count, 7)
                try expect(entry?.location != nil)
                try context.save()
            }
            let count = try await container.perform { try ($0.existingObject(with: id) as? Entry)?.count }
            try expectEqual(count, 7)
        },
        ConformanceCase("a context that lived on ends with all its objects, unsaved ones too") { bench in
            let container = try bench.container()
            nonisolated(unsafe) weak var context: ManagedObjectContext?
            var background: BackgroundContext? = container.newBackgroundContext()
            try await background?.perform { held in
                Entry(context: held).text = "never saved"
                context = held
            }
            try expect(context != nil, "the context lives as long as it may be used")
            background = nil
            // The thread of the last closure releases it a moment later.
            for _ in 0..<6_000 where context != nil { try await Task.sleep(for: .milliseconds(10)) }
            try expect(context == nil, "unsaved objects and their context hold each other")
        },
        ConformanceCase("the view context sees what others save") { bench in
            try await viewContextMerges(bench)
        },
        ConformanceCase("an object that others delete vanishes, and reads as empty") { bench in
            let container = try bench.container()
            let background = container.newBackgroundContext()
            let id = try await background.perform { context in
                let entry = Entry(context: context)
                try context.save()
                return entry.objectID
            }
            try await container.perform { context in
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            try await background.perform { context in
                try expectError(.objectNotFound) { _ = try context.existingObject(with: id) }
                let fault = try context.object(with: id) as? Entry
                try expectEqual(fault?.text, "")
                try expect(fault?.managedObjectContext == nil && fault?.isDeleted == false)
            }
        },
        ConformanceCase("a child context sees its parent's unsaved changes, and saves into it alone") { bench in
            try await bench.container().perform { context in
                let location = Location(context: context), tag = Tag(context: context)
                let saved = Entry(context: context), gone = Entry(context: context)
                saved.text = "saved"
                try context.save()
                saved.text = "in the parent"
                saved.photo = Data([1, 2])
                let unsaved = Entry(context: context)
                unsaved.text = "unsaved"

                let child = ManagedObjectContext(parent: context)
                let texts = try child.fetch(FetchRequest<Entry>(sortedBy: [.descending("text")])).map(\.text)
                try expectEqual(texts, ["unsaved", "in the parent", ""])
                let mine = try child.existingObject(with: saved.objectID) as? Entry
                try expectEqual(mine?.photo, Data([1, 2]))
                mine?.text = "in the child"
                mine?.location = try child.existingObject(with: location.objectID) as? Location
                if let tag = try child.existingObject(with: tag.objectID) as? Tag { mine?.tags = [tag] }
                let new = Entry(context: child)
                new.parent = mine
                child.delete(try child.existingObject(with: gone.objectID))
                try expect(saved.text == "in the parent" && saved.location == nil && !gone.isDeleted)

                try child.save()
                try expect(!child.hasChanges && context.hasChanges)
                try expect(saved.text == "in the child" && saved.location === location && gone.isDeleted)
                try expectEqual(saved.tags, [tag])
                try expectEqual(saved.replies.map(\.objectID), [new.objectID])
                let below = ManagedObjectContext(coordinator: context.coordinator)
                try expectEqual((try below.existingObject(with: saved.objectID) as? Entry)?.text, "saved")
                try context.save()
                below.refresh(try below.existingObject(with: saved.objectID), mergeChanges: false)
                try expectEqual((try below.existingObject(with: saved.objectID) as? Entry)?.tags.count, 1)
                try expectEqual(below.count(for: FetchRequest<Entry>()), 3)
            }
        },
        ConformanceCase("refresh reads the store's values, with or without the unsaved changes on top") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                entry.text = "base"
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let theirs = try other.existingObject(with: entry.objectID) as? Entry
                theirs?.text = "theirs"
                theirs?.count = 3
                try other.save()
                entry.text = "mine"
                context.refresh(entry, mergeChanges: true)
                try expect(entry.text == "mine" && entry.count == 3)
                try context.save()
                entry.text = "dropped"
                context.refresh(entry, mergeChanges: false)
                try expect(entry.text == "mine" && !context.hasChanges)
            }
        },
        ConformanceCase("refresh drops an unsaved link at both of its ends, also where the object is not loaded") {
            bench in
            try await bench.container().perform { work in
                let context = ManagedObjectContext(coordinator: work.coordinator)
                let places = (0..<3).map { _ in Location(context: context) }, entry = Entry(context: context)
                entry.location = places[0]
                try context.save()
                entry.location = places[1]
                context.refresh(entry, mergeChanges: true)
                context.refresh(entry, mergeChanges: false)
                try expect(!context.hasChanges && entry.location === places[0])
                try expectEqual(places.map(\.entries.count), [1, 0, 0])
                entry.location = places[1]
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let theirs = try other.existingObject(with: entry.objectID) as? Entry
                theirs?.location = try other.existingObject(with: places[2].objectID) as? Location
                try other.save()
                context.mergeChangesFromParent()
                context.refresh(entry, mergeChanges: false)
                try expect(!context.hasChanges && entry.location === places[2])
                try expectEqual(places.map(\.entries.count), [0, 0, 1])
                // Later changes are compared with their stored state.
                entry.location = nil
                context.refreshAllObjects()
                try expectEqual(places.map(\.entries.count), [0, 0, 0])
            }
        },
        ConformanceCase("what observers change while a save tells them of its changes is written with it") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), old = Entry(context: context), reply = Entry(context: context)
                reply.parent = old
                try context.save()
                let observer = EditingObserver(of: entry, deletes: old)
                let controller = FetchedResultsController(
                    fetchRequest: FetchRequest<Entry>(sortedBy: [.ascending("text")]), context: context)
                controller.delegate = observer
                try controller.performFetch()
                entry.text = "changed"
                try context.save()
                try expect(observer.isDone && !context.hasChanges)
                for found in [entry, try fresh(entry, context)] {
                    try expectEqual(found.text, "changed")
                    try expectEqual(found.count, 7)
                }
                let stored = try ManagedObjectContext(coordinator: context.coordinator).fetch(
                    FetchRequest<Entry>(sortedBy: [.ascending("text")]))
                try expectEqual(stored.map(\.text), ["changed", "made by an observer"])
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["changed", "made by an observer"])
            }
        },
        ConformanceCase("rows read by many threads while others save are always of whole saves") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for _ in 0..<2 { _ = Entry(context: context) }
                try context.save()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for value in 1...50 {
                        try await container.perform { context in
                            for entry in try context.fetch(FetchRequest<Entry>()) { entry.count = value }
                            try context.save()
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<50 {
                            let counts = try await container.perform {
                                try $0.fetch(FetchRequest<Entry>()).map(\.count)
                            }
                            try expect(counts.count == 2 && counts[0] == counts[1], "\(counts)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    @MainActor
    private static func viewContextMerges(_ bench: TestBench) async throws {
        let container = try bench.container()
        let view = container.viewContext
        let location = Location(context: view)
        location.name = "Home"
        try view.save()
        try expectEqual(location.entries, [])
        let id = location.objectID
        try await container.perform { context in
            let entry = Entry(context: context)
            let home = try context.existingObject(with: id) as? Location
            home?.name = "Away"
            entry.location = home
            try context.save()
        }
        try expectEqual(view.fetch(FetchRequest<Entry>()).count, 1)
        try expectEqual(location.name, "Away")
        try expectEqual(location.entries.count, 1)
    }
}

/// Changes, inserts and deletes an object at the first news of results.
private final class EditingObserver: FetchedResultsControllerDelegate {
    private let edited: Entry
    private let deleted: Entry
    private(set) var isDone = false

    init(of edited: Entry, deletes deleted: Entry) { (self.edited, self.deleted) = (edited, deleted) }

    func controllerDidChangeContent(_ snapshot: ResultSnapshot) {
        guard !isDone, let context = edited.managedObjectContext else { return }
        isDone = true
        edited.count = 7
        Entry(context: context).text = "made by an observer"
        context.delete(deleted)
    }
}
