import Backstitch
import Foundation

extension StoreConformance {
    /// Two savers change, delete or link the same objects. Each merge policy settles that in its own way.
    ///
    /// A backend must
    /// - compare the version of every changed or deleted row, in the same statement that writes it;
    /// - check that both ends of a new link still exist;
    /// - report every object that has changed since it was read, one fault for each in
    ///   ``BackstitchError/Code/saveConflict``;
    /// - store nothing of a refused save, and raise each written version by one.
    ///
    /// A store fails when it checks versions before its transaction, stops at the first conflict, or writes the rows
    /// before it. Without a fault for an object the policy cannot settle it, and the save ends in an error.
    static let conflictCases =
        MergePolicy.allCases.map { policy in
            ConformanceCase("a stored row that changed meanwhile is settled by the policy \(policy)") { bench in
                try await bench.container().perform { try Rivals($0).edit(policy) }
            }
        }
        + MergePolicy.allCases.map { policy in
            ConformanceCase("a stored row that was deleted meanwhile is settled by the policy \(policy)") { bench in
                try await bench.container().perform { try Rivals($0).editDeleted(policy) }
            }
        }
        + MergePolicy.allCases.map { policy in
            ConformanceCase("a deletion of a row that changed meanwhile is settled by the policy \(policy)") { bench in
                try await bench.container().perform { try Rivals($0).deleteEdited(policy) }
            }
        }
        + MergePolicy.allCases.map { policy in
            ConformanceCase("a link to an object that was deleted meanwhile is settled by the policy \(policy)") {
                bench in
                try await bench.container().perform { try Rivals($0).linkDeleted(.end, policy) }
            }
        }
        + MergePolicy.allCases.map { policy in
            ConformanceCase("a link of an object that was deleted meanwhile is settled by the policy \(policy)") {
                bench in
                try await bench.container().perform { try Rivals($0).linkDeleted(.owner, policy) }
            }
        } + [
            ConformanceCase("a link to a deleted object that nobody holds any more is dropped, or told") { bench in
                try await bench.container().perform { try Rivals($0).linkForgotten() }
            },
            ConformanceCase("one conflict in a save keeps the whole save out") { bench in
                try await bench.container().perform { context in
                    let rivals = try Rivals(context)
                    rivals.theirEntry.text = "theirs"
                    try rivals.theirs.save()
                    rivals.myEntry.text = "mine"
                    _ = Tag(context: rivals.mine)
                    let error = try expectError(.saveConflict) { try rivals.mine.save() }
                    try expectEqual(error.objectID ?? error.faults.first?.objectID, rivals.myEntry.objectID)
                    try expectEqual(
                        ManagedObjectContext(coordinator: context.coordinator).count(for: FetchRequest<Tag>()), 0)
                    try expect(rivals.mine.hasChanges)
                }
            },
            ConformanceCase("an object inserted twice under one identity is a conflict") { bench in
                try await bench.container().perform { context in
                    let rivals = try Rivals(context)
                    let id = rivals.myEntry.objectID
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    _ = try other.insertObject(with: id)
                    try expectError(.saveConflict) { try other.save() }
                    other.mergePolicy = .mergeByPropertyStoreTrump
                    try other.save()
                    try expectEqual((try other.existingObject(with: id) as? Entry)?.text, "base")
                }
            },
            ConformanceCase("one taken identity among 300 new objects is named, and none of them is stored") { bench in
                try await bench.container().perform { try insertManyOpposed($0) }
            },
            ConformanceCase("of 300 objects that a save changes, those in conflict are named, and none is stored") {
                bench in
                try await bench.container().perform { try writeManyOpposed($0) { entry, _ in entry.text = "mine" } }
            },
            ConformanceCase("of 300 objects that a save deletes, those in conflict are named, and none is deleted") {
                bench in
                try await bench.container().perform { try writeManyOpposed($0) { $1.delete($0) } }
            },
            ConformanceCase("eight writers that raise one counter lose no increment") { bench in
                let container = try bench.container()
                let id = try await container.perform { context in
                    let entry = Entry(context: context)
                    try context.save()
                    return entry.objectID
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask { for _ in 0..<10 { try await increment(id, in: container) } }
                    }
                    try await group.waitForAll()
                }
                let count = try await container.perform { try ($0.existingObject(with: id) as? Entry)?.count }
                try expectEqual(count, 80)
            },
        ]
}

/// Adds one, and tries again until no other save interferes.
private func increment(_ id: ObjectID, in container: PersistentContainer) async throws {
    while true {
        let isSaved = try await container.perform { context in
            let entry = try context.existingObject(with: id) as? Entry
            entry?.count += 1
            do { try context.save() } catch let error as BackstitchError where error.code == .saveConflict {
                return false
            }
            return true
        }
        if isSaved { return }
    }
}

/// Two contexts with the same entry. Neither hears of the other's changes.
private struct Rivals {
    /// The context that saves second, and so meets the conflict.
    let mine: ManagedObjectContext
    /// The context that saves first.
    let theirs: ManagedObjectContext
    /// The entry in the second context.
    let myEntry: Entry
    /// The same entry in the first context.
    let theirEntry: Entry

    /// Saves an entry with the text "base", and lets both contexts read it.
    init(_ context: ManagedObjectContext) throws {
        let entry = Entry(context: context)
        entry.text = "base"
        entry.count = 1
        try context.save()
        // The closure's context merges no changes. A second context of the same kind would need another perform.
        mine = context
        theirs = ManagedObjectContext(coordinator: context.coordinator)
        myEntry = entry
        theirEntry = try theirs.existingObject(with: entry.objectID) as? Entry ?? entry
    }

    /// They change text and created, I change text and count.
    func edit(_ policy: MergePolicy) throws {
        theirEntry.text = "theirs"
        theirEntry.created = Date(milliseconds: 5)
        try theirs.save()
        myEntry.text = "mine"
        myEntry.count = 2
        mine.mergePolicy = policy
        if policy == .error {
            try expectError(.saveConflict) { try mine.save() }
            try expectEqual(stored()?.text, "theirs")
            return
        }
        try mine.save()
        let entry = try stored()
        let expected: (String, Int, Date?)
        switch policy {
        case .mergeByPropertyObjectTrump: expected = ("mine", 2, Date(milliseconds: 5))
        case .mergeByPropertyStoreTrump: expected = ("theirs", 2, Date(milliseconds: 5))
        case .overwrite: expected = ("mine", 2, nil)
        default: expected = ("theirs", 1, Date(milliseconds: 5))
        }
        try expectEqual(entry?.text, expected.0)
        try expectEqual(entry?.count, expected.1)
        try expectEqual(entry?.created, expected.2)
        try expectEqual(myEntry.text, expected.0)
        try expectEqual(myEntry.created, expected.2)
    }

    /// They delete the entry, I edit it. With a policy for mine it is restored, with one for theirs it stays deleted.
    func editDeleted(_ policy: MergePolicy) throws {
        theirs.delete(theirEntry)
        try theirs.save()
        myEntry.text = "mine"
        mine.mergePolicy = policy
        if policy == .error {
            try expectError(.saveConflict) { try mine.save() }
            return
        }
        try mine.save()
        let survives = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        try expectEqual(stored()?.text, survives ? "mine" : nil)
        try expectEqual(stored()?.count, survives ? 1 : nil)
        try expectEqual(myEntry.managedObjectContext == nil, !survives)
    }

    /// They edit the entry, I delete it. With a policy for mine it is deleted, with one for theirs it stays.
    func deleteEdited(_ policy: MergePolicy) throws {
        theirEntry.text = "theirs"
        try theirs.save()
        mine.delete(myEntry)
        mine.mergePolicy = policy
        if policy == .error {
            try expectError(.saveConflict) { try mine.save() }
            return
        }
        try mine.save()
        let isDeleted = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        try expectEqual(stored()?.text, isDeleted ? nil : "theirs")
        try expectEqual(myEntry.managedObjectContext == nil, isDeleted)
    }

    /// The one of two linked objects that they delete.
    enum Side { case owner, end }

    /// They delete the entry or the tag, I save only a link between the two.
    func linkDeleted(_ side: Side, _ policy: MergePolicy) throws {
        let tag = Tag(context: mine)
        tag.name = "tag"
        try mine.save()
        let gone = side == .owner ? myEntry.objectID : tag.objectID
        theirs.delete(try theirs.existingObject(with: gone))
        try theirs.save()
        myEntry.tags = [tag]
        mine.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.saveConflict) { try mine.save() }
            try expectEqual(error.objectID ?? error.faults.first?.objectID, gone)
            try expect(mine.hasChanges)
            return
        }
        try mine.save()
        try expect(!mine.hasChanges)
        let survives = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        let fresh = ManagedObjectContext(coordinator: mine.coordinator)
        try expectEqual(try fresh.fetchObjectIDs(FetchRequest<Entry>()).contains(gone), survives && side == .owner)
        try expectEqual(try fresh.fetchObjectIDs(FetchRequest<Tag>()).contains(gone), survives && side == .end)
        try expectEqual(try stored()?.tags.count ?? 0, survives ? 1 : 0)
        // A restored row has no links made meanwhile by others.
        guard !survives else { return }
        _ = try fresh.insertObject(with: gone)
        try fresh.save()
        try expectEqual(try stored()?.tags.count, 0)
    }

    /// I hold only the link to a tag, not the tag itself.
    func linkForgotten() throws {
        let id = try { () throws -> ObjectID in
            let tag = Tag(context: theirs)
            try theirs.save()
            return tag.objectID
        }()
        try { try myEntry.add(mine.existingObject(with: id), to: "tags") }()
        theirs.delete(try theirs.existingObject(with: id))
        try theirs.save()
        let error = try expectError(.saveConflict) { try mine.save() }
        try expectEqual(error.objectID, id)
        mine.mergePolicy = .mergeByPropertyStoreTrump
        try mine.save()
        try expect(!mine.hasChanges)
        try expectEqual(try stored()?.tags.count, 0)
    }

    /// The stored entry, read in a new context.
    private func stored() throws -> Entry? {
        try ManagedObjectContext(coordinator: mine.coordinator).fetch(FetchRequest<Entry>()).first
    }
}

extension StoreConformance {
    /// Saves a write of 300 objects, after others have changed one and deleted one. Stores write many objects in other
    /// ways than few.
    private static func writeManyOpposed(
        _ context: ManagedObjectContext, _ write: (Entry, ManagedObjectContext) -> Void
    ) throws {
        let entries = (0..<300).map { _ in Entry(context: context) }
        try context.save()
        let (changed, deleted) = (entries[100].objectID, entries[200].objectID)
        let others = ManagedObjectContext(coordinator: context.coordinator)
        (try others.existingObject(with: changed) as? Entry)?.text = "theirs"
        others.delete(try others.existingObject(with: deleted))
        try others.save()
        context.mergePolicy = .error
        for entry in entries { write(entry, context) }
        let error = try expectError(.saveConflict) { try context.save() }
        try expectEqual(Set(error.faults.compactMap(\.objectID)), [changed, deleted])
        let stored = try ManagedObjectContext(coordinator: context.coordinator).fetch(FetchRequest<Entry>())
        try expectEqual(stored.count, 299)
        try expectEqual(stored.filter { $0.text == "theirs" }.map(\.objectID), [changed])
        try expectEqual(stored.filter { $0.text == "mine" }.count, 0)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
    }

    /// Saves 300 new objects at once, enough for a store's special path. Another context has saved one of their keys.
    private static func insertManyOpposed(_ context: ManagedObjectContext) throws {
        let rivals = try Rivals(context)
        let taken = rivals.myEntry.objectID
        let other = ManagedObjectContext(coordinator: context.coordinator)
        let new = (0..<299).map { _ in Entry(context: other).objectID }
        _ = try other.insertObject(with: taken)
        let error = try expectError(.saveConflict) { try other.save() }
        try expectEqual(error.objectID ?? error.faults.first?.objectID, taken)
        let judge = ManagedObjectContext(coordinator: context.coordinator)
        try expectEqual(try judge.fetchObjectIDs(FetchRequest<Entry>()).filter(new.contains), [])
        other.mergePolicy = .mergeByPropertyStoreTrump
        try other.save()
        try expectEqual(try judge.count(for: FetchRequest<Entry>()), 300)
        try expectEqual((try judge.existingObject(with: taken) as? Entry)?.text, "base")
    }
}
