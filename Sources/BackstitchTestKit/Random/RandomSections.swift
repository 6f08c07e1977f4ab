import Backstitch
import Foundation

/// Changes the objects of a controller with sections at random. The reported changes are applied to the earlier
/// results, as a list on a screen would apply them. The outcome must be the present results, and these must equal a new
/// controller's results.
final class RandomSections: FetchedResultsControllerDelegate {
    private let seed: UInt64
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<ManagedObject>
    private let key: String
    private var sections: [ResultDifference.SectionChange] = []
    private var objects: [ResultDifference.ObjectChange] = []

    /// Values whose texts differ although an order treats them as equal, and values of the opposite case.
    private static let values: [String: [Value]] = [
        "string": [
            .string("a"), .string("A"), .string("á"), .string("A\u{301}"), .string("a\u{301}"), .string("Á"),
            .string("b"),
            .string("B"), .string("a1"), .string("a01"), .string("a10"), .string(""), .null,
        ],
        "double": [.double(0), .double(-0.0), .double(1.5), .double(-1), .null],
        "date": [0, 0.25, 0.75, 1, 60].map { .date(Date(timeIntervalSinceReferenceDate: $0)) } + [.null],
        "boolean": [.bool(true), .bool(false), .null],
        "integer64": [.int(1), .int(10), .int(2), .null],
    ]
    /// The orders for sections.
    static var orders: [FetchSortDescriptor] {
        let folding: [FetchTextOptions] = [
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .numeric,
        ]
        return folding.map { FetchSortDescriptor("string", ascending: true, options: $0) }
            + folding.map { FetchSortDescriptor("string", ascending: false, options: $0) }
            + ["double", "date", "boolean", "integer64"].map { FetchSortDescriptor($0) }
    }

    /// A walk over all objects in that order.
    init(seed: UInt64, _ order: FetchSortDescriptor, in context: ManagedObjectContext) throws {
        self.seed = seed
        self.context = context
        random = SeededGenerator(seed: seed)
        key = order.keyPath
        controller = FetchedResultsController(
            fetchRequest: FetchRequest(
                entityName: "AllTypes", predicate: try FetchPredicate(format: "integer16 == 1"),
                sortedBy: [order, .ascending("integer32")]), context: context, sectionNameKeyPath: key)
        for _ in 0..<4 { try change() }
        try context.save()
        try controller.performFetch()
        controller.delegate = self
    }

    func controllerDidChange(section: ResultDifference.SectionChange) { sections.append(section) }
    func controllerDidChange(object: ResultDifference.ObjectChange) { objects.append(object) }

    /// Takes steps, and checks the reported changes after each.
    func run(steps: Int) throws {
        for step in 0..<steps {
            let before = controller.snapshot
            (sections, objects) = ([], [])
            for _ in 0..<Int.random(in: 1...4, using: &random) { try change() }
            if Int.random(in: 0..<5, using: &random) == 0 { try context.save() }
            context.processPendingChanges()
            do {
                try expectEqual(try replayed(before), controller.snapshot, "\(sections), \(objects)")
                let other = FetchedResultsController(
                    fetchRequest: controller.fetchRequest, context: context, sectionNameKeyPath: key)
                try other.performFetch()
                try expectEqual(controller.snapshot, other.snapshot, "by a new controller")
                let names = controller.snapshot.sections.map { Array($0.name.utf8) }
                try expectEqual(Set(names).count, names.count, "names of sections")
            } catch {
                throw ConformanceFailure(
                    description:
                        "BACKSTITCH_SEED=\(seed), \(controller.fetchRequest.sortDescriptors), step \(step): \(error)")
            }
        }
    }

    private func change() throws {
        let all = controller.fetchedObjects.filter { !$0.isDeleted }
        switch (Int.random(in: 0..<4, using: &random), all.randomElement(using: &random)) {
        case (0, let object?): context.delete(object)
        case (1...2, let object?): try set(object)
        default: try set(try context.insertObject(entityName: "AllTypes"))
        }
    }

    private func set(_ object: ManagedObject) throws {
        let value = Self.values[key]?.randomElement(using: &random) ?? .null
        if Int.random(in: 0..<4, using: &random) > 0 || object.isInserted { try object.setValue(value, forKey: key) }
        if Int.random(in: 0..<4, using: &random) == 0 || object.isInserted {
            try object.setValue(.int(Int64.random(in: 0..<50, using: &random)), forKey: "integer32")
        }
        try object.setValue(.int(Int.random(in: 0..<8, using: &random) == 0 ? 0 : 1), forKey: "integer16")
    }

    /// The earlier results with all reported changes: objects are removed, then sections are removed and added, then
    /// objects are added.
    private func replayed(_ before: ResultSnapshot) throws -> ResultSnapshot {
        var places: [[ObjectID?]] = before.sections.map(\.items)
        var arriving: [(id: ObjectID, place: ResultPosition)] = []
        for change in objects {
            switch change {
            case .deleted(let id, let place), .updated(let id, let place), .moved(let id, let place, _):
                try expectEqual(before.identity(at: place), id, "the old place of \(change)")
            case .inserted: break
            }
            switch change {
            case .deleted(_, let place): places[place.section][place.item] = nil
            case .moved(let id, let place, let target):
                places[place.section][place.item] = nil
                arriving.append((id, target))
            case .inserted(let id, let place): arriving.append((id, place))
            case .updated: break
            }
        }
        var result = zip(before.sections, places).map {
            ResultSnapshot.Section(name: $0.name, items: $1.compactMap { $0 })
        }
        for change in sections {
            switch change {
            case .deleted(let name, let place):
                try expect(result.indices.contains(place), "no section at \(place)")
                try expectEqual(result.remove(at: place), .init(name: name, items: []), "the section that goes")
            case .inserted(let name, let place):
                try expect(place <= result.count, "no place for a section at \(place)")
                result.insert(.init(name: name, items: []), at: place)
            }
        }
        for (id, place) in arriving.sorted(by: { $0.place < $1.place }) {
            try expect(
                result.indices.contains(place.section) && place.item <= result[place.section].items.count,
                "no place \(place)")
            result[place.section].items.insert(id, at: place.item)
        }
        return ResultSnapshot(sections: result)
    }
}
