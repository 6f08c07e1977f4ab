import Backstitch

/// Two contexts on one store, and a child of one of them, do random operations. After each step their internal state
/// must be consistent. After each save the store must hold exactly the content of the saving context.
///
/// ```swift
/// try await RandomOperations.run(seed: 7, on: store)
/// ```
/// A backend meets sequences that no case covers: a conflict after an undo, a deletion under a child's edits, links to
/// objects deleted by others. The failure names the seed and every step, so that it can be repeated and shortened. If
/// only one store fails on a seed, it has returned a row, a version or a link that the others do not return.
public enum RandomOperations {
    /// Runs `steps` operations from `seed`.
    ///
    /// - Throws: ``ConformanceFailure`` with the seed and the operations up to the failing one.
    public static func run(seed: UInt64, steps: Int = 40, on store: StoreUnderTest) async throws {
        let bench = try TestBench(store)
        defer { try? bench.remove() }
        let generator = ObjectIDGenerator(clock: bench.clock, random: SeededGenerator(seed: seed))
        let container = try PersistentContainer(
            model: .journal, store: store.describe(bench.folder), clock: bench.clock, generator: generator)
        try await container.perform { _ in
            var walk = RandomWalk(seed: seed, coordinator: container.coordinator)
            try walk.run(steps: steps)
        }
        try container.close()
    }
}

/// One run of random operations.
private struct RandomWalk {
    private let seed: UInt64
    private var random: SeededGenerator
    private let coordinator: PersistentStoreCoordinator
    private let contexts: [ManagedObjectContext]
    private var trace: [String] = []
    /// The objects held by each context, as a program that shows them would hold them.
    private var held: [[ManagedObject]] = [[], [], []]

    /// Makes the three contexts, with policies and undo chosen by the seed.
    init(seed: UInt64, coordinator: PersistentStoreCoordinator) {
        self.seed = seed
        self.coordinator = coordinator
        random = SeededGenerator(seed: seed)
        let first = ManagedObjectContext(coordinator: coordinator)
        let second = ManagedObjectContext(coordinator: coordinator)
        let child = ManagedObjectContext(parent: first)
        contexts = [first, second, child]
        for (index, context) in contexts.enumerated() {
            context.name = ["first", "second", "child"][index]
            context.mergePolicy =
                [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]
                .randomElement(using: &random) ?? .rollback
            if Bool.random(using: &random) { context.undoManager = ContextUndoManager() }
        }
    }

    /// Takes steps, and checks the contexts after each.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let context = contexts[Int.random(in: 0..<contexts.count, using: &random)]
            do {
                try step(in: context)
                try check()
            } catch let failure as ConformanceFailure {
                throw ConformanceFailure(
                    description: "seed \(seed): \(failure.description)\n  " + trace.joined(separator: "\n  "))
            } catch {
                throw ConformanceFailure(
                    description: "seed \(seed): threw \(error)\n  " + trace.joined(separator: "\n  "))
            }
        }
    }

    /// Throws when a context or the coordinator finds its internal state inconsistent.
    private func check() throws {
        var broken = try coordinator._checkInvariants()
        for context in contexts { broken += context._checkInvariants().map { "\(context.name ?? ""): \($0)" } }
        try expect(broken.isEmpty, broken.joined(separator: "; "))
    }
}

// The steps of a walk.
extension RandomWalk {
    /// Does one operation. Operations that change objects are more frequent.
    private mutating func step(in context: ManagedObjectContext) throws {
        let name = context.name ?? ""
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<18: try insert(in: context)
        case 18..<36: try edit(in: context)
        case 36..<56: try link(in: context)
        case 56..<64: try delete(in: context)
        case 64..<80: try save(context)
        case 80..<83:
            note("\(name): rollback")
            context.rollback()
        case 83..<88:
            note("\(name): undo")
            context.undo()
        case 88..<91:
            note("\(name): redo")
            context.redo()
        case 91..<95: try refresh(in: context)
        case 95..<97:
            note("\(name): process pending changes")
            context.processPendingChanges()
        case 97..<98:
            note("\(name): reset")
            context.reset()
        case 98..<99: try follow(in: context)
        default: try fetch(in: context)
        }
    }

    /// Records an operation for the failure's message.
    private mutating func note(_ text: String) { trace.append(text) }

    /// One of the objects that the context finds, unsaved ones too; nil if there are none.
    private mutating func any<Object: ManagedObject>(_ type: Object.Type, in context: ManagedObjectContext) throws
        -> Object?
    {
        try context.fetch(FetchRequest<Object>(sortedBy: [])).randomElement(using: &random)
    }

    /// Inserts an object of some entity.
    private mutating func insert(in context: ManagedObjectContext) throws {
        let object: ManagedObject
        switch Int.random(in: 0..<4, using: &random) {
        case 0: object = Location(context: context)
        case 1: object = Tag(context: context)
        case 2: object = Cover(context: context)
        default: object = Entry(context: context)
        }
        note("\(context.name ?? ""): insert \(object.objectID)")
    }

    /// Sets a new count of some entry, and half of the time a new text.
    private mutating func edit(in context: ManagedObjectContext) throws {
        guard let entry = try any(Entry.self, in: context) else { return }
        let count = Int.random(in: 0..<3, using: &random)
        note("\(context.name ?? ""): set count of \(entry.objectID) to \(count)")
        entry.count = count
        if Bool.random(using: &random) { entry.text = "text \(Int.random(in: 0..<3, using: &random))" }
    }

    /// Links some entry to another object, or removes a link.
    private mutating func link(in context: ManagedObjectContext) throws {
        guard let entry = try any(Entry.self, in: context) else { return }
        let clears = Int.random(in: 0..<4, using: &random) == 0
        let name = "\(context.name ?? ""): \(clears ? "unlink" : "link") \(entry.objectID)"
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let target = clears ? nil : try any(Location.self, in: context)
            note("\(name).location \(target.map { "\($0.objectID)" } ?? "nil")")
            entry.location = target
        case 1:
            guard let tag = try any(Tag.self, in: context) else { return }
            note("\(name).tags \(tag.objectID)")
            if clears { try entry.remove(tag, from: "tags") } else { try tag.add(entry, to: "entries") }
        case 2:
            let target = clears ? nil : try any(Cover.self, in: context)
            note("\(name).cover \(target.map { "\($0.objectID)" } ?? "nil")")
            entry.cover = target
        default:
            let target = clears ? nil : try any(Entry.self, in: context)
            note("\(name).parent \(target.map { "\($0.objectID)" } ?? "nil")")
            entry.parent = target
        }
    }

    /// Deletes some object of a random entity.
    private mutating func delete(in context: ManagedObjectContext) throws {
        let object: ManagedObject?
        switch Int.random(in: 0..<4, using: &random) {
        case 0: object = try any(Location.self, in: context)
        case 1: object = try any(Tag.self, in: context)
        case 2: object = try any(Cover.self, in: context)
        default: object = try any(Entry.self, in: context)
        }
        guard let object else { return }
        note("\(context.name ?? ""): delete \(object.objectID)")
        context.delete(object)
    }

    /// Reads along relationships of held objects, without merging others' changes before.
    private mutating func follow(in context: ManagedObjectContext) throws {
        guard let place = contexts.firstIndex(where: { $0 === context }) else { return }
        note("\(context.name ?? ""): follow \(held[place].count) objects")
        for object in held[place] {
            for property in object.entity.relationships where property.relationship?.isToMany == true {
                held[place] += try object.objects(forKey: property.name)
            }
        }
        held[place] = held[place].suffix(10)
    }

    /// Each object that the context believes to be stored must be there.
    private func checkKnowledge(of context: ManagedObjectContext) throws {
        let strangers = try context._checkKnowledge()
        try expect(strangers.isEmpty, strangers.joined(separator: "; "))
    }

    /// Refreshes some entry, and keeps its changes or drops them.
    private mutating func refresh(in context: ManagedObjectContext) throws {
        guard let entry = try any(Entry.self, in: context) else { return }
        let merges = Bool.random(using: &random)
        note("\(context.name ?? ""): refresh \(entry.objectID), \(merges ? "keeping" : "dropping") changes")
        context.refresh(entry, mergeChanges: merges)
    }

    /// Fetches with a predicate over related objects. No deleted object may be found.
    private mutating func fetch(in context: ManagedObjectContext) throws {
        note("\(context.name ?? ""): fetch")
        let entries = try context.fetch(FetchRequest<Entry>(where: "count > 0 OR ANY tags.name == ''"))
        for entry in entries { try expect(!entry.isDeleted, "a deleted object was fetched") }
        if let place = contexts.firstIndex(where: { $0 === context }) {
            held[place] += Array(entries.prefix(3)) as [ManagedObject]
        }
        try checkKnowledge(of: context)
    }

    /// Saves. After a save into the store, the store must hold the context's content.
    private mutating func save(_ context: ManagedObjectContext) throws {
        note("\(context.name ?? ""): save")
        try context.save()
        guard context.parent == nil else { return }
        let other = ManagedObjectContext(coordinator: coordinator)
        let shown = try GraphImage(context)
        let stored = try GraphImage(other)
        try expect(shown == stored, "what was saved is not what is stored: \(shown.difference(from: stored))")
    }
}

/// The values and links of all objects.
private struct GraphImage: Equatable {
    private let lines: [String]

    /// Reads everything through a context, its unsaved changes too.
    init(_ context: ManagedObjectContext) throws {
        var lines: [String] = []
        for entity in context.model.entities where entity.name != "AllTypes" {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)) {
                var values: [String] = []
                for property in entity.properties {
                    if property.relationship?.isToMany == true {
                        let keys = try object.objects(forKey: property.name).map { "\($0.key)" }.sorted()
                        values.append("\(property.name): \(keys)")
                    } else {
                        values.append("\(property.name): \(try object.value(forKey: property.name))")
                    }
                }
                lines.append("\(object.objectID) \(values)")
            }
        }
        self.lines = lines.sorted()
    }

    /// The lines missing in one of the two.
    func difference(from other: GraphImage) -> String {
        let mine = Set(lines).subtracting(other.lines).sorted()
        let theirs = Set(other.lines).subtracting(lines).sorted()
        return "shown \(mine.joined(separator: "\n    "))\n   stored \(theirs.joined(separator: "\n    "))"
    }
}
