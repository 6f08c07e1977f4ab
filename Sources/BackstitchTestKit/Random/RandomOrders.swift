import Backstitch

/// Makes random changes to an ordered relationship and to an array of identities. Both must stay equal: in the context,
/// in its child, and after each save in another context.
///
/// The relationship has enough members for the code paths for many, and few changes are saved at once.
struct RandomOrders {
    private let seed: UInt64
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    /// The object with the relationship `key`.
    private let owner: ManagedObject
    private let key: String
    private let memberEntity: String

    private var expected: [ObjectID] = []
    private var saved: [ObjectID] = []
    /// The order before each step that can be undone.
    private var past: [[ObjectID]] = []
    private var trace: [String] = []

    /// A walk over a relationship of a new object of `entity`.
    init(
        seed: UInt64, _ entity: String, _ key: String, of memberEntity: String, in context: ManagedObjectContext
    ) throws {
        self.seed = seed
        self.key = key
        self.memberEntity = memberEntity
        self.context = context
        random = SeededGenerator(seed: seed)
        owner = try context.insertObject(entityName: entity)
        let members = try (0..<[0, 5, 90][Int.random(in: 0..<3, using: &random)]).map { _ in
            try context.insertObject(entityName: memberEntity)
        }
        try owner.setObjects(members, forKey: key)
        try context.save()
        expected = members.map(\.objectID)
        saved = expected
        if Bool.random(using: &random) { context.undoManager = ContextUndoManager() }
    }

    /// Takes steps, and compares after each.
    ///
    /// - Throws: ``ConformanceFailure`` with the seed and the steps up to the first difference.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            do {
                try step()
                try check()
            } catch {
                let log = trace.suffix(30).joined(separator: "\n  ")
                throw ConformanceFailure(description: "BACKSTITCH_SEED=\(seed), \(key): \(error)\n  \(log)")
            }
        }
        context.undoManager = nil
        // Unsaved objects would keep the context.
        context.rollback()
        context.processPendingChanges()
    }

    private func check() throws {
        try expectEqual(owner.objects(forKey: key).map(\.objectID), expected)
        try expectEqual(context._checkInvariants(), [])
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12: try change()
        case 12:
            trace.append("save")
            try save()
        case 13:
            trace.append("roll back")
            context.rollback()
            (expected, past) = (saved, [])
        case 14: try undo()
        case 15:
            trace.append("refresh")
            let all = try [owner] + owner.objects(forKey: key)
            context.refresh(all.randomElement(using: &random) ?? owner, mergeChanges: true)
        case 16: try changeInChild()
        case 17: try changeElsewhere()
        case 18: try check(in: ManagedObjectContext(parent: context))
        default: context.processPendingChanges()
        }
    }

    private mutating func changeInChild() throws {
        trace.append("in a child:")
        context.processPendingChanges()
        past.append(expected)
        let child = ManagedObjectContext(parent: context)
        _ = try child.insertObject(entityName: memberEntity)
        for _ in 0..<3 { try change(try child.existingObject(with: owner.objectID), in: child) }
        try child.save()
        context.processPendingChanges()
    }

    /// Another context changes and saves while this one has no unsaved changes.
    private mutating func changeElsewhere() throws {
        trace.append("save, and elsewhere:")
        try save()
        let other = ManagedObjectContext(coordinator: context.coordinator)
        for _ in 0..<3 { try change(try other.existingObject(with: owner.objectID), in: other) }
        try other.save()
        context.mergeChangesFromParent()
        (saved, past) = (expected, [])
        context.undoManager?.removeAllActions()
    }

    private mutating func save() throws {
        try context.save()
        saved = expected
        try check(in: ManagedObjectContext(coordinator: context.coordinator))
    }

    private func check(in other: ManagedObjectContext) throws {
        let found = try other.existingObject(with: owner.objectID).objects(forKey: key)
        try expectEqual(found.map(\.objectID), expected, "in another context")
    }

    private mutating func undo() throws {
        guard context.undoManager != nil, let last = past.popLast() else { return }
        trace.append("undo")
        context.undo()
        let next = expected
        expected = last
        try check()
        guard Bool.random(using: &random) else { return }
        trace.append("redo")
        context.redo()
        past.append(last)
        expected = next
    }
}

// The random changes of a walk.
extension RandomOrders {
    private mutating func change() throws {
        // For the undo manager, a step is everything between two turns.
        context.processPendingChanges()
        past.append(expected)
        context.undoManager?.beginGrouping()
        defer { context.undoManager?.endGrouping() }
        // So that each change is a step, even if the order stays the same.
        _ = try context.insertObject(entityName: memberEntity)
        for _ in 0..<Int.random(in: 1...3, using: &random) { try change(owner, in: context) }
        context.processPendingChanges()
    }

    private mutating func change(_ owner: ManagedObject, in context: ManagedObjectContext) throws {
        let count = expected.count
        let place = Int.random(in: 0...count, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0...1:
            trace.append("insert at \(place)")
            let new = try context.insertObject(entityName: memberEntity)
            try owner.insert(new, into: key, at: place)
            expected.insert(new.objectID, at: place)
        case 2:
            trace.append("add")
            let new = try context.insertObject(entityName: memberEntity)
            try owner.add(new, to: key)
            expected.append(new.objectID)
        case 3 where place < count:
            let target = Int.random(in: 0..<count, using: &random)
            trace.append("move \(place) to \(target)")
            try owner.moveObject(in: key, from: place, to: target)
            expected.insert(expected.remove(at: place), at: target)
        case 4 where place < count:
            trace.append("remove \(place)")
            try owner.remove(try context.existingObject(with: expected.remove(at: place)), from: key)
        case 5 where place < count:
            trace.append("replace \(place)")
            let new = try context.insertObject(entityName: memberEntity)
            try owner.replaceObject(in: key, at: place, with: new)
            expected[place] = new.objectID
        case 6:
            trace.append("set to others, shuffled")
            var members = try owner.objects(forKey: key).filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
            members.append(try context.insertObject(entityName: memberEntity))
            members.shuffle(using: &random)
            try owner.setObjects(members, forKey: key)
            expected = members.map(\.objectID)
        case 7:
            trace.append("reverse")
            try owner.setObjects(owner.objects(forKey: key).reversed(), forKey: key)
            expected.reverse()
        case 8 where place < count:
            trace.append("delete \(place)")
            context.delete(try context.existingObject(with: expected.remove(at: place)))
            context.processPendingChanges()
        default: break
        }
    }
}
