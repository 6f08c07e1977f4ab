import Backstitch
import Foundation

extension StoreConformance {
    /// Undo and redo, over saves too: values, links, insertions and deletions with their cascades.
    ///
    /// A backend must
    /// - insert a row again under its former identity, at version 1;
    /// - insert its links again, from both sides;
    /// - return the versions of the rows in its answers to saves.
    ///
    /// A store fails when it remembers deleted keys and refuses them, or keeps their links, which then return twice.
    static let undoCases = [
        ConformanceCase("undo takes back a step of values and links, redo does it again") { bench in
            try await bench.container().perform { context in
                let graph = try UndoGraph(context)
                graph.entry.text = "changed"
                graph.entry.location = nil
                graph.entry.tags = []
                context.processPendingChanges()
                graph.entry.text = "changed again"
                context.undo()
                try expectEqual(graph.entry.text, "changed")
                context.undo()
                try graph.expectOriginal()
                try expect(!context.hasChanges, "what was taken back is not to be saved")
                context.redo()
                try expectEqual(graph.entry.text, "changed")
                try expect(graph.entry.location == nil && graph.location.entries.isEmpty && graph.tag.entries.isEmpty)
                graph.entry.text = "something new"
                context.redo()
                try expectEqual(graph.entry.text, "something new")
            }
        },
        ConformanceCase("undo brings back what was deleted, with its cascade and links, before a save and after it") {
            bench in
            try await bench.container().perform { context in
                for saves in [false, true] {
                    let graph = try UndoGraph(context)
                    let reply = Entry(context: context)
                    reply.text = "reply"
                    reply.parent = graph.entry
                    try context.save()
                    context.undoManager?.removeAllActions()
                    context.delete(graph.entry)
                    if saves { try context.save() }
                    context.undo()
                    try graph.expectOriginal()
                    try expectEqual(graph.entry.replies, [reply])
                    try context.save()
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    let stored = try other.existingObject(with: graph.entry.objectID) as? Entry
                    try expectEqual(stored?.text, "original")
                    try expectEqual(stored?.tags.map(\.objectID), [graph.tag.objectID])
                    try expectEqual(stored?.location?.objectID, graph.location.objectID)
                    try expectEqual(stored?.replies.map(\.text), ["reply"])
                }
            }
        },
        ConformanceCase("undo of an insertion takes the object out, also when it was saved; redo brings it back whole")
        {
            bench in
            try await bench.container().perform { context in
                for saves in [false, true] {
                    let graph = try UndoGraph(context)
                    let new = Entry(context: context)
                    new.text = "new"
                    new.location = graph.location
                    if saves { try context.save() }
                    context.undo()
                    try expect(saves ? new.isDeleted : new.managedObjectContext == nil)
                    try context.save()
                    let stored = try FetchRequest<Entry>(where: "text == 'new'")
                    try expectEqual(context.count(for: stored), 0)
                    context.redo()
                    try context.save()
                    try expectEqual(context.fetch(stored).first?.location, graph.location)
                    context.delete(new)
                    try context.save()
                }
            }
        },
        ConformanceCase("undo after a save makes the old values unsaved changes, which can be saved") { bench in
            try await bench.container().perform { context in
                let graph = try UndoGraph(context)
                graph.entry.text = "changed"
                try context.save()
                context.undo()
                try expectEqual(graph.entry.changedValues, ["text": .value("original")])
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                try expectEqual((try other.existingObject(with: graph.entry.objectID) as? Entry)?.text, "original")
            }
        },
        ConformanceCase("a group is one step, changes without recording are none, and only so many steps are kept") {
            bench in
            try await bench.container().perform { context in
                let graph = try UndoGraph(context)
                let manager = context.undoManager
                manager?.beginGrouping()
                for count in 1...3 {
                    graph.entry.count = count
                    context.processPendingChanges()
                }
                manager?.endGrouping()
                context.undo()
                try expectEqual(graph.entry.count, 0)
                manager?.withoutRecording { graph.entry.count = 9 }
                try expect(manager?.canUndo == false)
                manager?.levelsOfUndo = 2
                for count in 1...4 {
                    graph.entry.count = count
                    context.processPendingChanges()
                }
                for _ in 0..<5 { context.undo() }
                try expectEqual(graph.entry.count, 2)
            }
        },
        ConformanceCase(
            "a deletion is one step with all that its rules change, whatever is done between it and the save"
        ) { bench in
            try await bench.container().perform { context in
                let graph = try UndoGraph(context)
                context.delete(graph.location)
                context.processPendingChanges()
                graph.entry.text = "changed"
                try context.save()
                context.undo()
                try expectEqual(graph.entry.text, "original")
                try expect(graph.entry.location == nil, "the deletion is a step of its own")
                try context.save()
                context.undo()
                try graph.expectOriginal()
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let stored = try other.existingObject(with: graph.entry.objectID) as? Entry
                try expectEqual(stored?.location?.objectID, graph.location.objectID)
                context.redo()
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Location>()), 0)
                try expect(graph.entry.location == nil)
            }
        },
        ConformanceCase("fetches find what leads to an object in the store still when undo brings that back") {
            bench in
            let container = try bench.container(.diaries)
            try await container.perform { parent in
                let child = ManagedObjectContext(parent: parent)
                for context in [parent, child] {
                    let keeper = Warden(context: context), kept = Diary(context: context)
                    keeper.name = "Ada"
                    kept.title = "kept"
                    try kept.setObject(keeper, forKey: "keeper")
                    Diary(context: context).title = "a diary of nobody"
                    try context.save()
                    try parent.save()
                    context.undoManager = ContextUndoManager()
                    context.delete(keeper)
                    try context.save()
                    try parent.save()
                    let request = try FetchRequest<Diary>(where: "keeper.name == 'Ada'")
                    try expectEqual(context.fetch(request), [])
                    context.undo()
                    try expectEqual(context.fetch(request), [kept], "before a save")
                    try expectEqual(context.count(for: request), 1)
                    let sorted = FetchRequest<Diary>(sortedBy: [.descending("keeper.name")], limit: 1)
                    try expectEqual(context.fetch(sorted), [kept])
                    let members: Set<Diary> = keeper["kept"]
                    try expectEqual(members, [kept])
                    try context.save()
                    try expectEqual(parent.count(for: request), 1, "in the parent, before it saves")
                    try parent.save()
                    try expectEqual(context.fetch(request), [kept], "after a save")
                    context.delete(keeper)
                    try context.save()
                    try parent.save()
                }
            }
        },
        ConformanceCase("undo of a saved deletion shows the object at far ends from which no rule has taken it") {
            bench in
            try await bench.container().perform { context in
                let location = Location(context: context), warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = location
                try context.save()
                context.undoManager = ContextUndoManager()
                context.delete(warden)
                try context.save()
                try expectEqual(location.wardens, [])
                context.undo()
                try expectEqual(location.wardens, [warden])
                let request = try FetchRequest<Location>(where: "ANY wardens.name == 'Ada'")
                try expectEqual(context.fetch(request), [location])
                try context.save()
                try expectEqual(context.fetch(request), [location])
                context.redo()
                try context.save()
                try expectEqual(location.wardens, [])
            }
        },
        ConformanceCase("undo makes no link to an object that others have deleted, and the next save goes through") {
            bench in
            try await bench.container().perform { work in
                let context = ManagedObjectContext(coordinator: work.coordinator)
                for isTag in [true, false] {
                    let graph = try UndoGraph(context)
                    graph.entry.tags = []
                    try context.save()
                    let gone: ManagedObject = isTag ? graph.tag : graph.entry
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    other.delete(try other.existingObject(with: gone.objectID))
                    try other.save()
                    context.mergeChangesFromParent()
                    context.undo()
                    try expect(graph.entry.tags.isEmpty && graph.tag.entries.isEmpty && !context.hasChanges)
                    graph.location.name = "changed"
                    try context.save()
                    try expectEqual(fresh(graph.location, context).name, "changed")
                }
            }
        },
        ConformanceCase("rollback and reset forget the steps") { bench in
            try await bench.container().perform { context in
                let graph = try UndoGraph(context)
                graph.entry.text = "changed"
                context.rollback()
                try expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
                graph.entry.text = "changed"
                context.reset()
                context.undo()
                try expect(!context.hasChanges)
            }
        },
    ]
}

/// A saved entry with a tag and a location, in a context that can undo.
private struct UndoGraph {
    let entry: Entry
    let location: Location
    let tag: Tag

    /// Makes and saves them, and records changes from then on.
    init(_ context: ManagedObjectContext) throws {
        context.undoManager = nil
        entry = Entry(context: context)
        location = Location(context: context)
        tag = Tag(context: context)
        entry.text = "original"
        entry.location = location
        entry.tags = [tag]
        try context.save()
        context.undoManager = ContextUndoManager()
    }

    /// Throws unless values and both ends of the links are as they were.
    func expectOriginal() throws {
        try expectEqual(entry.text, "original")
        try expectEqual(entry.location, location)
        try expectEqual(entry.tags, [tag])
        try expectEqual(location.entries, [entry])
        try expectEqual(tag.entries, [entry])
    }
}
