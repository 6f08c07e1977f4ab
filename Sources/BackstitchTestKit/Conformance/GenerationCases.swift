import Backstitch
import Foundation

extension StoreConformance {
    /// A context pinned to a state of the store reads that state, even while others write.
    ///
    /// A backend must
    /// - answer every request of a snapshot from the snapshot's state: rows, related rows, counts, dictionaries;
    /// - let writers continue meanwhile;
    /// - let several contexts read one snapshot;
    /// - refuse an edit made from an old state by its version, like other edits.
    ///
    /// A store fails when it fills a fault of a pinned context with the present row. It also fails when an unclosed
    /// snapshot keeps writers waiting.
    static let generationCases = [
        ConformanceCase("a pinned context reads one state, faults included, while others write", needs: .snapshots) {
            bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                let others = try PinnedGraph(context)
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                let entries = try pinned.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")]))
                try others.changeEverything()
                try expectEqual(entries.map(\.text), ["a", "b"])
                try expectEqual(entries.first?.location?.name, "before")
                try expectEqual(entries.first?.tags.map(\.name), ["tag"])
                try expectEqual(pinned.count(for: FetchRequest<Entry>()), 2)
                try expectEqual(try pinned.fetch(FetchRequest<Entry>(where: "location.name == 'before'")).count, 1)
                let second = ManagedObjectContext(coordinator: context.coordinator)
                try second.setQueryGeneration(from: pinned.queryGenerationToken())
                try expectEqual(second.count(for: FetchRequest<Entry>()), 2)
                try pinned.setQueryGeneration(from: nil)
                try expectEqual(pinned.count(for: FetchRequest<Entry>()), 2)
                try expectEqual(
                    try pinned.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")])).map(\.text), ["c", "changed"])
            }
        },
        ConformanceCase("a pin moves on by a save, a merge and a reset", needs: .snapshots) { bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                let count = { try pinned.count(for: FetchRequest<Entry>()) }
                func insert() throws {
                    _ = Entry(context: context)
                    try context.save()
                }
                try insert()
                try pinned.setQueryGeneration(from: .current)
                try expectEqual(count(), 1)
                try insert()
                try expectEqual(count(), 1)
                _ = Tag(context: pinned)
                try pinned.save()
                try expectEqual(count(), 2)
                try insert()
                try expectEqual(count(), 2)
                pinned.mergeChangesFromParent()
                try expectEqual(count(), 3)
                try insert()
                pinned.reset()
                try expectEqual(count(), 4)
            }
        },
        ConformanceCase("a change made from an old state is a conflict, which the policy settles", needs: .snapshots) {
            bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                try context.save()
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                let mine = try pinned.existingObject(with: entry.objectID) as? Entry
                try expectEqual(mine?.count, 0)
                entry.count = 5
                entry.text = "theirs"
                try context.save()
                mine?.count = 7
                try expectError(.saveConflict) { try pinned.save() }
                pinned.mergePolicy = .mergeByPropertyObjectTrump
                try pinned.save()
                try expectEqual(mine?.count, 7)
                try expectEqual(mine?.text, "theirs")
            }
        },
        ConformanceCase("a state of another coordinator's store is refused", needs: .snapshots) { bench in
            guard bench.store.isDurable else { return }
            let other = try TestBench(bench.store)
            defer { try? other.remove() }
            let containers = try [bench.container(), other.container(.diaries)]
            let token = try await containers[0].perform { context in
                try context.setQueryGeneration(from: .current)
                return try context.queryGenerationToken()
            }
            try expect(token != nil)
            try await containers[1].perform { context in
                try expectError(.invalidRequest) { try context.setQueryGeneration(from: token) }
                try expectEqual(context.count(for: FetchRequest<Diary>()), 0)
            }
            try await containers[0].perform { context in
                try context.setQueryGeneration(from: token)
                try expectEqual(context.count(for: FetchRequest<Entry>()), 0)
            }
            try containers[1].close()
        },
        ConformanceCase("a child context sees its parent's state, and cannot be pinned itself", needs: .snapshots) {
            bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                let others = try PinnedGraph(context)
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                try expectEqual(pinned.count(for: FetchRequest<Entry>()), 2)
                try others.changeEverything()
                let child = ManagedObjectContext(parent: pinned)
                try expectEqual(
                    child.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")])).map(\.text), ["a", "b"])
                try expectError(.invalidRequest) { try child.setQueryGeneration(from: .current) }
            }
        },
    ]
}

/// Two entries with a location and a tag, and another context that changes all of it.
private struct PinnedGraph {
    private let context: ManagedObjectContext
    private let first: Entry
    private let second: Entry

    /// Saves two entries at a place, the first with a tag.
    init(_ context: ManagedObjectContext) throws {
        self.context = context
        first = Entry(context: context)
        second = Entry(context: context)
        first.text = "a"
        second.text = "b"
        let location = Location(context: context), tag = Tag(context: context)
        location.name = "before"
        tag.name = "tag"
        first.location = location
        first.tags = [tag]
        try context.save()
    }

    /// Changes, inserts and deletes, so that the answer to every request changes.
    func changeEverything() throws {
        first.location?.name = "after"
        first.tags.first?.name = "changed"
        first.text = "changed"
        first.location = nil
        first.tags = []
        context.delete(second)
        Entry(context: context).text = "c"
        try context.save()
    }
}
