import Backstitch

extension StoreConformance {
    /// Live results and fetches depend on objects at the other end of relationships, and follow these as well.
    ///
    /// A backend must
    /// - evaluate paths, `ANY`, counts and subqueries as memory does, with references to missing rows as nil;
    /// - sort by attributes behind a to-one, with missing ones first;
    /// - name the updated objects in its changes, so that dependent fetches are known to be out of date.
    ///
    /// A store fails when a row with a dangling reference wrongly disappears from a join.
    static let relatedResultCases = [
        ConformanceCase("results follow unsaved changes of the objects that their key paths pass through") { bench in
            try await bench.container().perform { context in
                let home = try RelatedResults(context)
                home.places[0].name = "y"
                context.processPendingChanges()
                try home.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0"])
                try home.places[0].add(home.entries[2], to: "entries")
                home.tags[1].name = "red"
                context.processPendingChanges()
                try home.expect(there: ["0", "1", "2"], sections: ["x", "y"], crowded: ["y"], tagged: ["0", "1"])
                context.delete(home.places[0])
                context.delete(home.tags[0])
                context.processPendingChanges()
                try home.expect(there: [], sections: ["", "x"], crowded: [], tagged: ["1"])
                context.rollback()
                context.processPendingChanges()
                try home.expect(there: [], sections: ["x"], crowded: ["x", "x"], tagged: ["0"])
            }
        },
        ConformanceCase("results follow what others save of the objects that their key paths pass through") { bench in
            try await bench.container().perform { others in
                let context = ManagedObjectContext(coordinator: others.coordinator)
                let home = try RelatedResults(context)
                let place = try others.existingObject(with: home.places[0].objectID) as? Location
                let tags = try others.fetch(FetchRequest<Tag>(sortedBy: [.ascending("name")]))
                place?.name = "y"
                tags[0].name = "red"
                try others.save()
                try home.follow()
                try home.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0", "1"])
                // A new object unknown to this context arrives, together with links to it.
                let new = Location(context: others), entry = try others.existingObject(with: home.entries[2].objectID)
                new.name = "y"
                try entry.setObject(new, forKey: "location")
                try others.save()
                try home.follow()
                try home.expect(there: ["0", "1", "2"], sections: ["x", "y"], crowded: ["y"], tagged: ["0", "1"])
                others.delete(new)
                others.delete(tags[0])
                try others.save()
                try home.follow()
                try home.expect(there: ["0", "1"], sections: ["", "x", "y"], crowded: ["y"], tagged: ["0"])
            }
        },
        ConformanceCase("results follow batch requests on the objects that their key paths pass through") { bench in
            try await bench.container().perform { others in
                let context = ManagedObjectContext(coordinator: others.coordinator)
                let home = try RelatedResults(context)
                try others.execute(
                    BatchUpdateRequest(
                        entityName: "Location", where: FetchPredicate(format: "name == 'x'"), set: ["name": "y"]))
                try others.execute(BatchUpdateRequest(entityName: "Tag", set: ["name": "red"]))
                try home.follow()
                try home.expect(
                    there: ["0", "1", "2", "3"], sections: ["y"], crowded: ["y", "y"], tagged: ["0", "1"])
                try context.execute(BatchDeleteRequest(objectIDs: [home.places[0].objectID]))
                try context.execute(BatchDeleteRequest(objectIDs: [home.tags[0].objectID]))
                try home.follow()
                try home.expect(there: ["2", "3"], sections: ["", "y"], crowded: ["y"], tagged: ["1"])
            }
        },
        ConformanceCase("results of a child context follow related objects of its parent, and its own") { bench in
            try await bench.container().perform { context in
                let above = try RelatedResults(context)
                let child = ManagedObjectContext(parent: context)
                let home = try RelatedResults(in: child)
                above.places[0].name = "y"
                context.processPendingChanges()
                try home.follow()
                try home.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0"])
                let tag = try child.existingObject(with: above.tags[1].objectID)
                try tag.setValue(.string("red"), forKey: "name")
                child.processPendingChanges()
                try home.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0", "1"])
                try child.save()
                try above.follow()
                try above.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0", "1"])
            }
        },
        ConformanceCase("a change that no key path names makes no results fetch again") { bench in
            try await bench.container().perform { others in
                let context = ManagedObjectContext(coordinator: others.coordinator)
                let home = try RelatedResults(context)
                let busy = FetchedResultsController(
                    fetchRequest: try FetchRequest<Location>(
                        where: "ANY entries.count > 5", sortedBy: [.ascending("name")]), context: context)
                try busy.performFetch()
                home.entries[0].text = "here"
                context.processPendingChanges()
                context.rollback()
                context.processPendingChanges()
                let entry = try others.existingObject(with: home.entries[1].objectID) as? Entry
                entry?.text = "there"
                try others.save()
                try home.follow()
                try others.execute(BatchUpdateRequest(entityName: "Entry", set: ["text": "batch"]))
                try home.follow()
                try expectEqual(home.fetchCounts + [busy.fetchCount], [1, 1, 1, 1, 1])
                try expectEqual(home.all.fetchedObjects.map(\.text), ["batch", "batch", "batch", "batch"])
                entry?.count = 9
                try others.save()
                try home.follow()
                try expectEqual(home.fetchCounts + [busy.fetchCount], [1, 1, 1, 1, 2])
                try expectEqual(busy.fetchedObjects, [home.places[0]])
            }
        },
        ConformanceCase(
            "results follow what another process saves of related objects", needs: .history, .sharing
        ) { bench in
            guard bench.store.isDurable else { return }
            let mine = try bench.container(), theirs = try bench.container()
            try await followsProcess(mine, theirs)
            try theirs.close()
        },
        ConformanceCase("a fetch judges by unsaved changes of related objects") { bench in
            let container = try bench.container()
            try await container.perform { context in _ = try RelatedResults(context) }
            try await container.perform { context in
                func texts(_ format: String, limit: Int? = nil) throws -> [String] {
                    let request = try FetchRequest<Entry>(where: format, sortedBy: [.descending("text")], limit: limit)
                    try expectEqual(context.count(for: request), try context.fetchObjectIDs(request).count)
                    return try context.fetch(request).map(\.text)
                }
                let places = try context.fetch(FetchRequest<Location>())
                places[0].name = "y"
                try expectEqual(texts("location.name == 'y'"), ["1", "0"])
                try expectEqual(texts("location.name == 'x'", limit: 1), ["3"])
                let sorted = FetchRequest<Entry>(sortedBy: [.descending("location.name"), .ascending("text")])
                try expectEqual(context.fetch(sorted).map(\.text), ["0", "1", "2", "3"])
                context.delete(places[0])
                context.processPendingChanges()
                try expectEqual(texts("location == nil"), ["1", "0"])
                try expectEqual(texts("location.name == 'y'"), [])
                let tags = try context.fetch(FetchRequest<Tag>(sortedBy: [.ascending("name")]))
                tags[0].name = "red"
                try expectEqual(texts("ANY tags.name == 'red'"), ["1", "0"])
                tags[0].entries = []
                try expectEqual(texts("tags.@count == 0"), ["3", "2", "1"])
            }
        },
        ConformanceCase("a fetch finds an object once whose edit others have made too and whose links have changed") {
            bench in
            let container = try bench.container()
            try await container.perform { other in
                let theirs = try RelatedResults(other)
                let context = ManagedObjectContext(coordinator: other.coordinator)
                let mine = try RelatedResults(in: context)
                mine.places[0].name = "same"
                for entry in mine.entries[0..<2] { entry.location = mine.places[1] }
                theirs.places[0].name = "same"
                try other.save()
                context.mergeChangesFromParent()
                let request = try FetchRequest<Location>(where: "entries.@count == 0")
                try expectEqual(context.fetch(request), [mine.places[0]])
                try expectEqual(context.count(for: request), 1)
            }
        },
        ConformanceCase("results of a child context follow a deletion that its parent takes back") { bench in
            try await bench.container().perform { other in
                let parent = ManagedObjectContext(coordinator: other.coordinator)
                let theirs = try RelatedResults(parent)
                let home = try RelatedResults(in: ManagedObjectContext(parent: parent))
                theirs.entries[2].location = theirs.places[0]
                parent.delete(theirs.places[0])
                parent.processPendingChanges()
                try home.follow()
                try home.expect(there: [], sections: ["", "x"], crowded: [], tagged: ["0"])
                parent.rollback()
                parent.processPendingChanges()
                try home.follow()
                try home.expect(there: [], sections: ["x"], crowded: ["x", "x"], tagged: ["0"])
            }
        },
        ConformanceCase("results of a child context follow a deletion elsewhere of an object that its parent edits") {
            bench in
            try await bench.container().perform { other in
                _ = try RelatedResults(other)
                let parent = ManagedObjectContext(coordinator: other.coordinator)
                let mine = try RelatedResults(in: parent)
                let child = ManagedObjectContext(parent: parent)
                let request = try FetchRequest<Tag>(where: "entries.@count == 1", sortedBy: [.ascending("name")])
                let controller = FetchedResultsController(fetchRequest: request, context: child)
                try controller.performFetch()
                mine.entries[0].tags = [mine.tags[0], mine.tags[1]]
                parent.processPendingChanges()
                let theirs = try other.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")]))
                other.delete(theirs[0])
                theirs[3].text = "4"
                try other.save()
                child.mergeChangesFromParent()
                child.processPendingChanges()
                try expectEqual(controller.fetchedObjects, child.fetch(request))
                // The parent inserts the object again, with the link it has added.
                try expectEqual(mine.tags.map(\.entries.count), [0, 2])
                try expectEqual(controller.fetchedObjects, [])
            }
        },
        ConformanceCase("results equal a fresh fetch, whatever is done to what they depend on") { bench in
            let first = SeededGenerator.seed(), walks = RandomResults.walks
            print("random results on \(bench.store): \(walks) walks from seed \(first)")
            for seed in RandomResults.former + (0..<walks).map({ first &+ $0 }) {
                let container = try bench.container()
                try await RandomResults.run(seed: seed, steps: 60, on: container)
                try container.close()
            }
        },
    ]

    @MainActor
    private static func followsProcess(_ mine: PersistentContainer, _ theirs: PersistentContainer) async throws {
        let place = try await mine.perform { try RelatedResults($0).places[0].objectID }
        let home = try RelatedResults(in: mine.viewContext)
        var entries = home.all.differences.makeAsyncIterator()
        let entry = home.entries[0].objectID
        try await theirs.perform { context in
            try context.existingObject(with: entry).setValue(.int(7), forKey: "count")
            try context.save()
        }
        _ = await entries.next()
        try expectEqual(home.fetchCounts, [1, 1, 1, 1])
        var differences = home.there.differences.makeAsyncIterator()
        try await theirs.perform { context in
            try context.existingObject(with: place).setValue(.string("y"), forKey: "name")
            try context.save()
        }
        _ = await differences.next()
        try home.expect(there: ["0", "1"], sections: ["x", "y"], crowded: ["x", "y"], tagged: ["0"])
    }
}

/// Four entries, two at each of two places named "x", the first with the tag "red", the second with "blue". The results
/// depend on these related objects.
private struct RelatedResults {
    /// The context that the results follow.
    let context: ManagedObjectContext
    let places: [Location], entries: [Entry], tags: [Tag]
    /// The entries at places named "y".
    let there: FetchedResultsController<Entry>
    /// All entries, by the names of their places.
    let all: FetchedResultsController<Entry>
    /// The places with more than one entry.
    let crowded: FetchedResultsController<Location>
    /// The entries with a tag named "red".
    let tagged: FetchedResultsController<Entry>

    /// Makes and saves the objects.
    init(_ context: ManagedObjectContext) throws {
        let places = (0..<2).map { _ in Location(context: context) }, tags = (0..<2).map { _ in Tag(context: context) }
        for place in places { place.name = "x" }
        (tags[0].name, tags[1].name) = ("red", "blue")
        for number in 0..<4 {
            let entry = Entry(context: context)
            entry.text = "\(number)"
            entry.location = places[number / 2]
            if number < 2 { entry.tags = [tags[number]] }
        }
        try context.save()
        try self.init(in: context)
    }

    /// Finds the objects made in another context.
    init(in context: ManagedObjectContext) throws {
        self.context = context
        let text = [FetchSortDescriptor.ascending("text")]
        places = try context.fetch(FetchRequest<Location>())
        tags = try context.fetch(FetchRequest<Tag>())
        entries = try context.fetch(FetchRequest<Entry>(sortedBy: text))
        there = FetchedResultsController(
            fetchRequest: try FetchRequest<Entry>(where: "location.name == 'y'", sortedBy: text), context: context)
        all = FetchedResultsController(
            fetchRequest: FetchRequest<Entry>(sortedBy: [.ascending("location.name")] + text), context: context,
            sectionNameKeyPath: "location.name")
        crowded = FetchedResultsController(
            fetchRequest: try FetchRequest<Location>(where: "entries.@count > 1", sortedBy: [.ascending("name")]),
            context: context)
        tagged = FetchedResultsController(
            fetchRequest: try FetchRequest<Entry>(where: "ANY tags.name == 'red'", sortedBy: text), context: context)
        try there.performFetch()
        try all.performFetch()
        try crowded.performFetch()
        try tagged.performFetch()
    }

    /// The number of fetches of each result.
    var fetchCounts: [Int] { [there.fetchCount, all.fetchCount, crowded.fetchCount, tagged.fetchCount] }

    /// Merges the changes of others.
    func follow() throws {
        context.mergeChangesFromParent()
        context.processPendingChanges()
    }

    /// Throws unless the results are these.
    func expect(
        there: [String], sections: [String], crowded: [String], tagged: [String], file: String = #fileID,
        line: Int = #line
    ) throws {
        for error in [self.there.lastError, all.lastError, self.crowded.lastError, self.tagged.lastError] {
            if let error { throw error }
        }
        try expectEqual(self.there.fetchedObjects.map(\.text), there, "there", file: file, line: line)
        try expectEqual(all.snapshot.sections.map(\.name), sections, "sections", file: file, line: line)
        try expectEqual(
            self.crowded.fetchedObjects.map { $0.name ?? "" }, crowded, "crowded", file: file, line: line)
        try expectEqual(self.tagged.fetchedObjects.map(\.text), tagged, "tagged", file: file, line: line)
    }
}
