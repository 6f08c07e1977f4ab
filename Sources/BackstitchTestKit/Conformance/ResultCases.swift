import Backstitch
import Foundation

extension StoreConformance {
    /// Live results follow the changes of their own context and of others, section by section, move by move.
    ///
    /// A backend must
    /// - order rows as the evaluator does, since a result is moved in memory and fetched in the store;
    /// - fold text alike in both, for sections and for orders without case;
    /// - tell its coordinator of changes that it finds by itself.
    ///
    /// A store fails when its order and the evaluator's differ for one pair of texts: the results jump at the next
    /// fetch.
    static let resultCases = [
        ConformanceCase("results follow inserts, changes, moves and deletions, in the documented order") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for number in 0..<4 {
                    let entry = Entry(context: context)
                    entry.text = "entry \(number)"
                    entry.count = number / 2
                }
                try context.save()
                let controller = FetchedResultsController(
                    fetchRequest: try FetchRequest<Entry>(
                        where: "count < 10", sortedBy: [.ascending("count"), .ascending("text")]),
                    context: context, sectionNameKeyPath: "count")
                let recorder = ResultRecorder()
                controller.delegate = recorder
                try controller.performFetch()
                try expectEqual(controller.snapshot.sections.map(\.name), ["0", "1"])
                let entries = controller.fetchedObjects

                entries[0].count = 1
                entries[1].text = "entry 1, changed"
                context.delete(entries[2])
                let new = Entry(context: context)
                new.text = "new"
                new.count = 5
                entries[3].count = 20
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["entry 1, changed", "entry 0", "new"])
                try expectEqual(controller.snapshot.sections.map(\.name), ["0", "1", "5"])
                try expectEqual(
                    recorder.calls,
                    [
                        "will", "+section 5 at 2", "-(1,1)", "-(1,0)", "moved (0,1) to (0,0)", "moved (0,0) to (1,0)",
                        "+(2,0)",
                        "did",
                    ])
                recorder.calls = []
                context.processPendingChanges()
                try expectEqual(recorder.calls, [])
                try context.save()
                try expectEqual(controller.position(of: new), ResultPosition(section: 2, item: 0))
            }
        },
        ConformanceCase("results take in what others save, also objects that were not in memory") { bench in
            let container = try bench.container()
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                entry.text = "outside"
                entry.count = 50
                try context.save()
                return entry.objectID
            }
            try await followsOthers(container, id)
        },
        ConformanceCase("an object that is found to be gone when it is read is no result") { bench in
            try await bench.container().perform { context in
                for text in ["kept", "gone"] { Entry(context: context).text = text }
                try context.save()
                context.automaticallyMergesChangesFromParent = false
                let controller = FetchedResultsController(
                    fetchRequest: try FetchRequest<Entry>(where: "TRUEPREDICATE", sortedBy: [.ascending("text")]),
                    context: context)
                try controller.performFetch()
                let others = ManagedObjectContext(coordinator: context.coordinator)
                let gone = controller.fetchedObjects[0].objectID
                others.delete(try others.existingObject(with: gone))
                try others.save()
                // The deletion is not reported, as when its notification has not arrived yet.
                context.merge(StoreChanges(updated: [gone]))
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["kept"])
            }
        },
        ConformanceCase("an object added by others and deleted here in one turn is told of as deleted") { bench in
            try await bench.container().perform { others in
                let context = ManagedObjectContext(coordinator: others.coordinator)
                let child = ManagedObjectContext(parent: context)
                Entry(context: others).text = "new"
                try others.save()
                let entry = try context.fetch(FetchRequest<Entry>())[0]
                let met = try child.fetch(FetchRequest<Entry>())[0]
                context.delete(entry)
                context.processPendingChanges()
                child.mergeChangesFromParent()
                try expect(met.managedObjectContext == nil, "the child holds \(met)")
            }
        },
        ConformanceCase("an object that others delete and bring back in one turn stays a result") { bench in
            try await bench.container().perform { others in
                Entry(context: others).text = "before"
                try others.save()
                let context = ManagedObjectContext(coordinator: others.coordinator)
                let controller = FetchedResultsController(
                    fetchRequest: try FetchRequest<Entry>(where: "count < 10", sortedBy: [.ascending("text")]),
                    context: context)
                try controller.performFetch()
                let id = controller.fetchedObjects[0].objectID
                others.delete(try others.existingObject(with: id))
                try others.save()
                context.mergeChangesFromParent()
                (try others.insertObject(with: id) as? Entry)?.text = "again"
                try others.save()
                context.mergeChangesFromParent()
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["again"])
            }
        },
        ConformanceCase("results with a cache name come without a fetch, until something is saved") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for number in 0..<6 {
                    let entry = Entry(context: context)
                    entry.text = "entry \(number)"
                    entry.count = number / 2
                }
                try context.save()
            }
            let coordinator = container.coordinator
            for expected in [["0", "1", "2"], ["(0)", "(1)", "(2)"]] {
                let found = try await container.perform { try CachedResults(below: 3, $0) }
                try expectEqual(found.names, expected)
                try expectEqual(found.texts, [1, 0, 3, 2, 5, 4].map { "entry \($0)" })
            }
            var names: [String]
            // Each of these forces a new fetch: another request under the name, a deleted cache, an unsaved change, and
            // a save.
            names = try await container.perform { try CachedResults(below: 1, $0).names }
            try expectEqual(names, ["0"])
            names = try await container.perform { try CachedResults(below: 1, $0).names }
            try expectEqual(names, ["(0)"])
            coordinator.deleteCache(withName: "by count")
            names = try await container.perform { try CachedResults(below: 1, $0).names }
            try expectEqual(names, ["0"])
            let unsaved = try await container.perform { context in
                Entry(context: context).text = "unsaved"
                return try CachedResults(below: 1, context).texts
            }
            try expectEqual(unsaved, ["unsaved", "entry 1", "entry 0"])
            try await container.perform { context in
                Entry(context: context).text = "saved"
                try context.save()
            }
            for expected in [["0"], ["(0)"]] {
                let found = try await container.perform { try CachedResults(below: 1, $0) }
                try expectEqual(found.names, expected)
                try expectEqual(found.texts, ["saved", "entry 1", "entry 0"])
            }
            // A controller that begins from the cache follows changes like any other.
            try await container.perform { context in
                let controller = FetchedResultsController(
                    fetchRequest: try CachedResults.request(below: 1), context: context, sectionNameKeyPath: "count",
                    cacheName: "by count")
                try controller.performFetch()
                let recorder = ResultRecorder()
                controller.delegate = recorder
                controller.fetchedObjects[1].text = "zero"
                context.processPendingChanges()
                try expectEqual(controller.fetchedObjects.map(\.text), ["zero", "saved", "entry 0"])
                try expectEqual(recorder.calls, ["will", "moved (0,1) to (0,0)", "did"])
            }
        },
        ConformanceCase("what is told of sections gives the new results, whatever the order takes for equal") { bench in
            let container = try bench.container()
            let seed = SeededGenerator.seed()
            print("BACKSTITCH_SEED=\(seed) repeats the walks over sections")
            for order in RandomSections.orders {
                for seed in [1] + (0..<Effort.size("SECTION_WALKS", usual: 1, whole: 8)).map({ seed &+ UInt64($0) }) {
                    try await container.perform { context in
                        try RandomSections(seed: seed, order, in: context).run(steps: 40)
                        context.rollback()
                        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "AllTypes")) {
                            context.delete(object)
                        }
                        try context.save()
                    }
                }
            }
        },
    ]

    @MainActor
    private static func followsOthers(_ container: PersistentContainer, _ id: ObjectID) async throws {
        let controller = FetchedResultsController(
            fetchRequest: try FetchRequest<Entry>(where: "count < 10", sortedBy: [.ascending("text")]),
            context: container.viewContext)
        try controller.performFetch()
        try expectEqual(controller.fetchedObjects.count, 0)
        var differences = controller.differences.makeAsyncIterator()
        try await container.perform { context in
            (try context.existingObject(with: id) as? Entry)?.count = 1
            let new = Entry(context: context)
            new.text = "a new one"
            try context.save()
        }
        var difference = await differences.next()
        try expectEqual(difference?.objects.count, 2)
        try expectEqual(controller.fetchedObjects.map(\.text), ["a new one", "outside"])
        try await container.perform { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
        difference = await differences.next()
        try expectEqual(difference?.objects, [.deleted(id, at: ResultPosition(section: 0, item: 1))])
    }
}

/// The results of a new controller with a cache, without any notification before.
private struct CachedResults: Sendable {
    /// The names of the sections, in parentheses when nothing was fetched.
    let names: [String]
    let texts: [String]

    init(below limit: Int, _ context: ManagedObjectContext) throws {
        let controller = FetchedResultsController(
            fetchRequest: try Self.request(below: limit), context: context, sectionNameKeyPath: "count",
            cacheName: "by count")
        try controller.performFetch()
        let areFaults = controller.fetchedObjects.allSatisfy(\.isFault)
        names = controller.snapshot.sections.map { areFaults ? "(\($0.name))" : $0.name }
        texts = controller.fetchedObjects.map(\.text)
    }

    /// Entries whose count is below a limit, by rising count, and by text from the last to the first.
    static func request(below limit: Int) throws -> FetchRequest<Entry> {
        try FetchRequest<Entry>(where: "count < %@", limit, sortedBy: [.ascending("count"), .descending("text")])
    }
}

/// Records the calls of a controller, in order.
private final class ResultRecorder: FetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent() { calls.append("will") }
    func controllerDidChangeContent(_ snapshot: ResultSnapshot) { calls.append("did") }

    func controllerDidChange(section: ResultDifference.SectionChange) {
        switch section {
        case .inserted(let name, let index): calls.append("+section \(name) at \(index)")
        case .deleted(let name, let index): calls.append("-section \(name) at \(index)")
        }
    }

    func controllerDidChange(object: ResultDifference.ObjectChange) {
        func text(_ position: ResultPosition) -> String { "(\(position.section),\(position.item))" }
        switch object {
        case .inserted(_, let at): calls.append("+\(text(at))")
        case .deleted(_, let at): calls.append("-\(text(at))")
        case .updated(_, let at): calls.append("changed \(text(at))")
        case .moved(_, let from, let to): calls.append("moved \(text(from)) to \(text(to))")
        }
    }
}
