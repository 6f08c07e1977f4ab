import Backstitch
import Foundation

/// A context with live results of many kinds. Most of them depend on related objects. Another context saves and runs
/// batch requests. After each step the results must equal a new fetch, and an evaluation of every object in memory.
enum RandomResults {
    /// The number of seeds for a case: two, ten in a campaign, or the number in `BACKSTITCH_RESULT_WALKS`.
    static var walks: UInt64 {
        UInt64(Effort.size("RESULT_WALKS", usual: 2, whole: 10))
    }

    /// Seeds of walks that once found a fault, so that it does not come back.
    static let former: [UInt64] = [
        // A parent inserts an object again that was deleted elsewhere. Its child was told of too few properties.
        2_788_002_632
    ]

    /// Runs `steps` operations from `seed`.
    ///
    /// - Throws: ``ConformanceFailure`` with the seed and the operations up to the failing one.
    static func run(seed: UInt64, steps: Int, on container: PersistentContainer) async throws {
        try await container.perform { _ in
            var walk = try ResultWalk(seed: seed, coordinator: container.coordinator)
            try walk.run(steps: steps)
        }
    }
}

/// Results of one fetch, with their expected values.
private protocol WatchedResults {
    /// Does the first fetch.
    func begin() throws
    /// Throws unless the results equal a fetch, and an evaluation of every object.
    func check() throws
}

/// The live results of one request.
private struct Watched<Object: ManagedObject>: WatchedResults {
    let controller: FetchedResultsController<Object>

    init(
        _ format: String, _ order: [FetchSortDescriptor], sections: String? = nil, limit: Int? = nil,
        in context: ManagedObjectContext
    ) throws {
        controller = FetchedResultsController(
            fetchRequest: try FetchRequest<Object>(where: format, sortedBy: order, limit: limit), context: context,
            sectionNameKeyPath: sections)
    }

    func begin() throws { try controller.performFetch() }

    func check() throws {
        let request = controller.fetchRequest, context = controller.context
        context.mergeChangesFromParent()
        context.processPendingChanges()
        if let error = controller.lastError { throw error }
        let found = controller.fetchedObjects.map(\.objectID)
        let fetched = try context.fetch(request).map(\.objectID)
        let place = context.parent == nil ? "in \(context.name ?? "")" : "in its child"
        try expectEqual(found, fetched, "by a fetch \(place) of \(request)")
        var all = try context.fetch(FetchRequest<Object>())
        if let entity = context.model.entity(for: Object.self) {
            let predicate = try request.predicate?.resolved(for: entity, in: context.model)
            all = try all.filter { try predicate?.evaluate($0) ?? true }
            all = try request.sortDescriptors.map { try $0.resolved(for: entity, in: context.model) }.sorted(all)
        }
        let judged = all.prefix(request.limit ?? .max)
        try expectEqual(found, judged.map(\.objectID), "by judging all objects \(place), for \(request)")
        guard let name = controller.sectionNameKeyPath else { return }
        var names: [String] = []
        for object in judged {
            let section = section(of: object, name.split(separator: ".").map(String.init))
            if names.last != section { names.append(section) }
        }
        try expectEqual(controller.snapshot.sections.map(\.name), names, "sections by \(name)")
    }

    /// The text at the end of a path.
    private func section(of object: ManagedObject, _ path: [String]) -> String {
        let end = path.dropLast().reduce(object as ManagedObject?) { object, name in object?[name] }
        let value: String? = end?[path.last ?? ""]
        return value ?? ""
    }
}

/// One run of changes.
private struct ResultWalk {
    private let seed: UInt64
    private var random: SeededGenerator
    /// The context with the watched results, and the one that saves at once.
    private let mine: ManagedObjectContext, others: ManagedObjectContext
    private let watched: [any WatchedResults]
    private var trace: [String] = []
    private static let names = ["a", "b", "c"]

    /// Makes two contexts and a child, with results in two of them.
    init(seed: UInt64, coordinator: PersistentStoreCoordinator) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        mine = ManagedObjectContext(coordinator: coordinator)
        others = ManagedObjectContext(coordinator: coordinator)
        (mine.name, others.name) = ("mine", "others")
        mine.mergePolicy = .mergeByPropertyObjectTrump
        others.mergePolicy = .mergeByPropertyObjectTrump
        mine.undoManager = ContextUndoManager()
        watched = try Self.results(mine) + Self.results(ManagedObjectContext(parent: mine))
    }

    /// Results by attributes, by paths, by counts and subqueries, with limits and with sections.
    private static func results(_ context: ManagedObjectContext) throws -> [any WatchedResults] {
        let text = [FetchSortDescriptor.ascending("text")]
        let entries: [(format: String, order: [FetchSortDescriptor], sections: String?, limit: Int?)] = [
            ("location.name == 'b'", text, nil, nil),
            ("TRUEPREDICATE", [.ascending("location.name")] + text, "location.name", nil),
            ("parent.location.name != 'a'", [.descending("parent.cover.title")], nil, nil),
            ("tags.@count > 1", text, nil, nil),
            ("ANY tags.name == 'b'", text, nil, nil),
            ("ALL tags.name == 'a'", text, nil, 3),
            ("NONE replies.cover.title == 'b'", text, nil, nil),
            ("SUBQUERY(replies, $r, $r.location.name == text).@count > 0", text, nil, nil),
            ("location.wardens.@count == 1 OR cover.title == location.name", text, nil, nil),
        ]
        let locations: [(format: String, order: [FetchSortDescriptor])] = [
            ("entries.@count == 0", [.ascending("name")]),
            ("ANY entries.tags.name == 'b' OR ANY wardens.name == 'c'", [.descending("name")]),
        ]
        return try entries.map {
            try Watched<Entry>($0.format, $0.order, sections: $0.sections, limit: $0.limit, in: context)
        } + locations.map { try Watched<Location>($0.format, $0.order, in: context) }
            + [try Watched<Tag>("entries.@count == 1", [.ascending("name")], in: context)]
    }

    /// Takes steps, and checks all results after each.
    mutating func run(steps: Int) throws {
        for _ in 0..<12 { try insert(in: others) }
        for _ in 0..<12 { try link(in: others) }
        try others.save()
        for results in watched { try results.begin() }
        for _ in 0..<steps {
            do {
                try step()
                for results in watched { try results.check() }
            } catch {
                let log = trace.suffix(40).joined(separator: "\n  ")
                throw ConformanceFailure(description: "seed \(seed): \(error)\n  \(log)")
            }
        }
    }
}

// The steps of a walk.
extension ResultWalk {
    /// Changes something, saves, undoes, refreshes, or lets others change and save something.
    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<52: try change(in: mine)
        case 52..<60: try save(mine)
        case 60..<64:
            trace.append("mine: rollback")
            mine.rollback()
        case 64..<70:
            trace.append("mine: undo")
            mine.undo()
        case 70..<73:
            trace.append("mine: redo")
            mine.redo()
        case 73..<75:
            trace.append("mine: refresh all")
            mine.refreshAllObjects()
        case 75..<82: try batch()
        default:
            for _ in 0..<Int.random(in: 1...3, using: &random) { try change(in: others) }
            try save(others)
        }
    }

    /// Makes one unsaved change.
    private mutating func change(in context: ManagedObjectContext) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try insert(in: context)
        case 1: try delete(in: context)
        case 2..<6: try edit(in: context)
        default: try link(in: context)
        }
    }

    /// Saves. A refused save is rolled back.
    private mutating func save(_ context: ManagedObjectContext) throws {
        trace.append("\(context.name ?? ""): save")
        do { try context.save() } catch let error as BackstitchError {
            trace.append("  threw \(error.code), rolled back")
            context.rollback()
        }
    }

    /// Inserts an object of some entity, with a name.
    private mutating func insert(in context: ManagedObjectContext) throws {
        let name = anyName()
        let object: ManagedObject
        switch Int.random(in: 0..<8, using: &random) {
        case 0: object = Location(context: context)
        case 1: object = Tag(context: context)
        case 2: object = Cover(context: context)
        case 3: object = Warden(context: context)
        default: object = Entry(context: context)
        }
        try object.setValue(.string(name), forKey: Self.nameKey(of: object))
        trace.append("\(context.name ?? ""): insert \(object.objectID) \(name)")
    }

    /// Gives some object another name.
    private mutating func edit(in context: ManagedObjectContext) throws {
        guard let object = try anyObject(in: context) else { return }
        let name = anyName()
        trace.append("\(context.name ?? ""): call \(object.objectID) \(name)")
        try object.setValue(.string(name), forKey: Self.nameKey(of: object))
    }

    /// Deletes some object, in the results or not.
    private mutating func delete(in context: ManagedObjectContext) throws {
        guard let object = try anyObject(in: context) else { return }
        trace.append("\(context.name ?? ""): delete \(object.objectID)")
        context.delete(object)
    }

    /// Links some entry to another object, or removes a link.
    private mutating func link(in context: ManagedObjectContext) throws {
        guard let entry = try any(Entry.self, in: context) else { return }
        let clears = Int.random(in: 0..<4, using: &random) == 0
        // Until the save, an unsaved to-one hides only the link that it replaced, not a link that others have made
        // since.
        let isContested = context === others && mine.hasChanges
        let key = (isContested ? ["tags"] : ["location", "location", "cover", "parent", "tags", "tags", "wardens"])
            .randomElement(using: &random)
        let target: ManagedObject?
        switch key {
        case "cover": target = try any(Cover.self, in: context)
        case "parent": target = try any(Entry.self, in: context)
        case "tags": target = try any(Tag.self, in: context)
        default: target = try any(Location.self, in: context)
        }
        guard let key, let target, target !== entry, !target.isDeleted, !entry.isDeleted else { return }
        trace.append("\(context.name ?? ""): \(clears ? "unlink" : "link") \(entry.objectID).\(key) \(target.objectID)")
        switch key {
        case "wardens": try any(Warden.self, in: context)?.setObject(clears ? nil : target, forKey: "location")
        case "tags": if clears { try entry.remove(target, from: key) } else { try target.add(entry, to: "entries") }
        default: try entry.setObject(clears ? nil : target, forKey: key)
        }
    }

    /// Runs a batch request. No context knows of it before its notification.
    private mutating func batch() throws {
        let (name, other) = (anyName(), anyName())
        let entity = ["Location", "Tag", "Cover", "Warden"].randomElement(using: &random) ?? "Tag"
        let key = entity == "Cover" ? "title" : "name"
        trace.append("batch on \(entity): \(name), \(other)")
        let which = try FetchPredicate(format: "\(key) == %@", name)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            try others.execute(BatchInsertRequest(entityName: entity, objects: [[key: .string(name)]]))
        case 1 where entity != "Location":
            try others.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: entity, predicate: which)))
        default:
            try others.execute(BatchUpdateRequest(entityName: entity, where: which, set: [key: .value(.string(other))]))
        }
    }

    /// One of the objects that the context finds, unsaved ones too; nil if there are none.
    private mutating func any<Object: ManagedObject>(
        _ type: Object.Type, in context: ManagedObjectContext
    ) throws -> Object? {
        try context.fetch(FetchRequest<Object>()).randomElement(using: &random)
    }

    /// Some object of a random entity; nil if it has none.
    private mutating func anyObject(in context: ManagedObjectContext) throws -> ManagedObject? {
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1: try any(Location.self, in: context)
        case 2: try any(Tag.self, in: context)
        case 3: try any(Cover.self, in: context)
        case 4: try any(Warden.self, in: context)
        default: try any(Entry.self, in: context)
        }
    }

    /// One of a few names, so that several objects have the same.
    private mutating func anyName() -> String { Self.names.randomElement(using: &random) ?? "" }

    /// The attribute with an object's name.
    private static func nameKey(of object: ManagedObject) -> String {
        object is Entry ? "text" : object is Cover ? "title" : "name"
    }
}
