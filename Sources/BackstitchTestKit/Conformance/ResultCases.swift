import Backstitch
import Foundation

extension StoreConformance {
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

/// Writes down what a controller tells, in order.
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
