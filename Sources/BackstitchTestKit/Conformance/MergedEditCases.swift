import Backstitch
import Foundation

extension StoreConformance {
    /// Edits of different properties by several contexts are merged, under each policy.
    ///
    /// A backend must
    /// - write the changed columns of an update, or the whole row, but never other columns;
    /// - return the stored row unchanged when the context reads it again to merge;
    /// - accept the merged row at its present version.
    ///
    /// A store fails when an answer after a conflict is from a cache that the other save has not reached.
    static let mergedEditCases =
        MergePolicy.allCases.map { policy in
            ConformanceCase("an edit of a property that others changed beneath it is settled by the policy \(policy)") {
                bench in
                try await bench.container().perform { try Merging($0).edit(policy) }
            }
        } + [
            ConformanceCase(
                "others' changes of other properties, and the same change, are merged beneath an edit in peace"
            ) {
                bench in
                try await bench.container().perform { context in
                    let merging = try Merging(context)
                    merging.mine.count = 2
                    merging.mine.created = Date(milliseconds: 5)
                    try merging.theyChange { entry in
                        entry.text = "theirs"
                        entry.count = 2
                    }
                    try merging.context.save()
                    try expectEqual(merging.mine.text, "theirs")
                    try expectEqual(merging.mine.created, Date(milliseconds: 5))
                }
            },
            ConformanceCase("an edit that is made after a merge, and one that is taken back, is no conflict") { bench in
                try await bench.container().perform { context in
                    let merging = try Merging(context)
                    merging.mine.count = 2
                    try merging.theyChange { $0.text = "theirs" }
                    merging.mine.text = "mine, having seen theirs"
                    try merging.context.save()
                    try expectEqual(merging.mine.text, "mine, having seen theirs")
                    merging.mine.text = "again"
                    try merging.theyChange { $0.text = "theirs again" }
                    merging.context.rollback()
                    merging.mine.count = 3
                    try merging.context.save()
                    try expectEqual(merging.mine.text, "theirs again")
                }
            },
            ConformanceCase(
                "a link that others have made too goes when it is taken away, and one that they removed comes back"
            ) { bench in
                try await bench.container().perform { maker in
                    let other = ManagedObjectContext(coordinator: maker.coordinator)
                    let theirs = Entry(context: other), theirTag = Tag(context: other)
                    try other.save()
                    let context = ManagedObjectContext(coordinator: maker.coordinator)
                    guard let mine = try context.existingObject(with: theirs.objectID) as? Entry,
                        let tag = try context.existingObject(with: theirTag.objectID) as? Tag
                    else { return try expect(false, "the objects are of other classes") }
                    for isLinked in [true, false] {
                        theirs.tags = isLinked ? [] : [theirTag]
                        try other.save()
                        context.mergeChangesFromParent()
                        mine.tags = isLinked ? [tag] : []
                        theirs.tags = isLinked ? [theirTag] : []
                        try other.save()
                        context.mergeChangesFromParent()
                        mine.tags = isLinked ? [] : [tag]
                        let request = try FetchRequest<Entry>(where: "tags.@count == 1")
                        try expectEqual(context.count(for: request), isLinked ? 0 : 1, "before the save")
                        try context.save()
                        other.mergeChangesFromParent()
                        try expectEqual(theirs.tags, isLinked ? [] : [theirTag])
                    }
                }
            },
            ConformanceCase("a to-one that others have set alike is no change, and follows them at both ends") {
                bench in
                try await bench.container().perform { other in
                    let places = (0..<3).map { _ in Location(context: other) }, theirs = Entry(context: other)
                    theirs.location = places[0]
                    try other.save()
                    let context = ManagedObjectContext(coordinator: other.coordinator)
                    let mine = try context.existingObject(with: theirs.objectID) as? Entry
                    let myPlaces = try places.compactMap { try context.existingObject(with: $0.objectID) as? Location }
                    mine?.location = myPlaces[1]
                    theirs.location = places[1]
                    try other.save()
                    context.mergeChangesFromParent()
                    try expect(mine?.location === myPlaces[1])
                    // An edit is compared with the row when that is read.
                    try expectEqual(mine?.text, theirs.text)
                    try expect(!context.hasChanges)
                    theirs.location = places[2]
                    try other.save()
                    context.mergeChangesFromParent()
                    try expectEqual(myPlaces.map(\.entries.count), [0, 0, 1])
                    try expect(mine?.location === myPlaces[2])
                }
            },
            ConformanceCase("what others change while an object's own rules fetch is a conflict at the save") { bench in
                try await bench.container(.diaries).perform { other in
                    let theirs = Diary(context: other)
                    theirs.title = "base"
                    try other.save()
                    let context = ManagedObjectContext(coordinator: other.coordinator)
                    let mine = try context.existingObject(with: theirs.objectID) as? Diary
                    mine?.title = "mine"
                    mine?.rule = {
                        guard theirs.title == "base" else { return }
                        theirs.title = "theirs"
                        try other.save()
                        _ = try context.count(for: FetchRequest<Diary>())
                    }
                    try expectError(.saveConflict) { try context.save() }
                    try expectEqual(mine?.title, "mine")
                    try expectEqual(fresh(theirs, context).title, "theirs")
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    try context.save()
                    try expectEqual(fresh(theirs, context).title, "mine")
                }
            },
            ConformanceCase("a refresh takes note of a deletion beneath an edit, and of an edit beneath a deletion") {
                bench in
                try await bench.container().perform { context in
                    for keeps in [true, false] {
                        try Merging(context).noteDeletion(keeps)
                        try Merging(context).noteEdit(keeps)
                    }
                }
            },
            ConformanceCase("an edit of an object that others have deleted goes when it is taken back") { bench in
                try await bench.container().perform { context in
                    for rollsBack in [true, false] {
                        let merging = try Merging(context)
                        merging.mine.text = "mine"
                        try merging.theyDelete()
                        try expect(merging.context.insertedObjects == [merging.mine] && merging.mine.text == "mine")
                        if rollsBack { merging.context.rollback() } else { merging.mine.text = "base" }
                        try merging.context.save()
                        try expect(merging.mine.managedObjectContext == nil && !merging.context.hasChanges)
                        try expectEqual(merging.context.count(for: FetchRequest<Entry>()), 0)
                    }
                }
            },
            ConformanceCase("an edited object that others delete and insert again is changed, with what was edited") {
                bench in
                try await bench.container().perform { context in
                    let merging = try Merging(context)
                    merging.mine.count = 7
                    try merging.theyDelete()
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    let again = try other.insertObject(with: merging.mine.objectID) as? Entry
                    again?.text = "again"
                    again?.count = 1
                    try other.save()
                    merging.context.mergeChangesFromParent()
                    try expect(merging.mine.isUpdated && merging.mine.text == "again" && merging.mine.count == 7)
                    try merging.context.save()
                    try expectEqual(fresh(merging.mine, context).text, "again")
                    try expectEqual(fresh(merging.mine, context).count, 7)
                }
            },
            ConformanceCase("a deletion that yields to others' change takes nothing along") { bench in
                try await bench.container(.diaries).perform { other in
                    let theirs = Diary(context: other)
                    theirs.pages = (0..<3).map { _ in Page(context: other) }
                    try other.save()
                    let context = ManagedObjectContext(coordinator: other.coordinator)
                    context.mergePolicy = .mergeByPropertyStoreTrump
                    guard let mine = try context.existingObject(with: theirs.objectID) as? Diary else {
                        return try expect(false)
                    }
                    context.delete(mine)
                    context.processPendingChanges()
                    theirs.title = "theirs"
                    try other.save()
                    try context.save()
                    try expect(mine.title == "theirs" && mine.pages.count == 3 && !context.hasChanges)
                    try expectEqual(fresh(theirs, context).pages.count, 3)
                }
            },
            ConformanceCase("a child context's edit beneath which its parent's was merged is a conflict at its save") {
                bench in
                try await bench.container().perform { context in
                    let merging = try Merging(context)
                    let child = ManagedObjectContext(parent: merging.context)
                    let entry = try child.existingObject(with: merging.mine.objectID) as? Entry
                    entry?.text = "child"
                    merging.mine.text = "parent"
                    merging.context.processPendingChanges()
                    child.mergeChangesFromParent()
                    try expectError(.saveConflict) { try child.save() }
                    child.mergePolicy = .mergeByPropertyObjectTrump
                    try child.save()
                    try expectEqual(merging.mine.text, "child")
                }
            },
        ]
}

/// A context that merges the changes of another one, and an object changed by both.
private struct Merging {
    let context: ManagedObjectContext
    let mine: Entry
    private let other: ManagedObjectContext
    private let theirs: Entry

    /// Saves an entry and lets two other contexts read it.
    init(_ maker: ManagedObjectContext) throws {
        let entry = Entry(context: maker)
        entry.text = "base"
        entry.count = 1
        try maker.save()
        context = ManagedObjectContext(coordinator: maker.coordinator)
        other = ManagedObjectContext(coordinator: maker.coordinator)
        mine = try context.existingObject(with: entry.objectID) as? Entry ?? entry
        theirs = try other.existingObject(with: entry.objectID) as? Entry ?? entry
        _ = (mine.text, theirs.text)
    }

    /// Lets the other context change its entry and save.
    func theyChange(_ body: (Entry) -> Void) throws {
        other.mergeChangesFromParent()
        body(theirs)
        try other.save()
        context.mergeChangesFromParent()
    }

    /// Lets the other context delete its entry and save.
    func theyDelete() throws {
        other.mergeChangesFromParent()
        other.delete(theirs)
        try other.save()
        context.mergeChangesFromParent()
    }

    /// They delete the entry that I have edited.
    func noteDeletion(_ keeps: Bool) throws {
        mine.text = "mine"
        try theyDelete()
        let conflict = try expectError(.saveConflict) { try context.save() }.mergeConflict
        try expectEqual(conflict?.base["text"], "base")
        try expectEqual(conflict?.own["text"], "mine")
        try expect(conflict?.stored == nil && conflict?.storedVersion == nil && conflict?.readVersion == 1)
        context.refresh(mine, mergeChanges: keeps)
        try expectEqual(context.hasChanges, keeps)
        try context.save()
        try expectEqual(mine.managedObjectContext != nil, keeps)
        let stored = try ManagedObjectContext(coordinator: context.coordinator).fetch(FetchRequest<Entry>())
        try expectEqual(stored.map(\.text), keeps ? ["mine"] : [])
        try remove(stored)
    }

    /// They edit the entry that I have deleted.
    func noteEdit(_ keeps: Bool) throws {
        context.delete(mine)
        try theyChange { $0.text = "theirs" }
        let conflict = try expectError(.saveConflict) { try context.save() }.mergeConflict
        try expectEqual(conflict?.base["text"], "base")
        try expectEqual(conflict?.stored?["text"], "theirs")
        context.refresh(mine, mergeChanges: keeps)
        try expectEqual(context.hasChanges, keeps)
        if !keeps { try expectEqual(mine.text, "theirs") }
        try context.save()
        let stored = try ManagedObjectContext(coordinator: context.coordinator).fetch(FetchRequest<Entry>())
        try expectEqual(stored.map(\.text), keeps ? [] : ["theirs"])
        try remove(stored)
    }

    private func remove(_ entries: [Entry]) throws {
        for entry in entries { entry.managedObjectContext?.delete(entry) }
        try entries.first?.managedObjectContext?.save()
    }

    func edit(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        mine.text = "mine"
        mine.count = 2
        try theyChange { entry in
            entry.text = "theirs"
            entry.created = Date(milliseconds: 5)
        }
        try expectEqual(mine.text, "mine")
        if policy == .error { return try refuse() }
        try context.save()
        let expected: (String, Int) =
            switch policy {
            case .mergeByPropertyStoreTrump: ("theirs", 2)
            case .rollback: ("theirs", 1)
            default: ("mine", 2)
            }
        try expectEqual(mine.text, expected.0)
        try expectEqual(mine.count, expected.1)
        try expectEqual(mine.created, Date(milliseconds: 5))
        other.mergeChangesFromParent()
        try expectEqual(theirs.text, expected.0)
        try expectEqual(theirs.count, expected.1)
    }

    /// The save reports both changes, writes nothing, and succeeds once the conflict was noted.
    private func refuse() throws {
        let error = try expectError(.saveConflict) { try context.save() }
        let conflict = (error.faults.first ?? error).mergeConflict
        try expectEqual(conflict?.base["text"], "base")
        try expectEqual(conflict?.own["text"], "mine")
        try expectEqual(conflict?.stored?["text"], "theirs")
        try expectEqual(mine.text, "mine")
        try expectEqual(theirs.text, "theirs")
        try expectError(.saveConflict) { try context.save() }
        context.refresh(mine, mergeChanges: true)
        try context.save()
        try expectEqual(mine.text, "mine")
        try expectEqual(mine.created, Date(milliseconds: 5))
    }
}
