import Backstitch
import Foundation

/// Two sides write one entry, in an order chosen by a generator. On one side are nested contexts: the deepest makes a
/// change, which is saved upwards step by step. The other side is another saver, who writes before the last of these
/// saves.
///
/// The result depends on one question: did the entry show their change when mine was made? If so, mine holds. Otherwise
/// both are in conflict, and the table of ``MergePolicy`` settles that.
struct PolicyScript: Sendable {
    /// A change of the entry.
    enum Deed: Sendable { case edit, editOther, delete, link }

    /// How the others write.
    enum Way: Sendable, CaseIterable { case save, batch, batchAtTheTop }

    enum Step: Sendable {
        /// The change of the others.
        case theirs
        /// My change, in the deepest context.
        case mine
        case save(Int)
        case fetch(Int)
        case merge(Int)
        /// Merges from the top down to a level.
        case mergeDown(Int)
        case process(Int)
        /// The program releases the entry and looks it up again.
        case lookUp(Int)
    }

    /// The pairs of changes that can conflict, mine first.
    static let deeds: [(mine: Deed, theirs: Deed)] = [
        (.edit, .edit), (.edit, .editOther), (.edit, .delete), (.delete, .edit), (.delete, .delete), (.link, .delete),
    ]

    let policy: MergePolicy
    /// Whether each context merges by itself, from the top down.
    let merging: [Bool]
    let deeds: (mine: Deed, theirs: Deed)
    let way: Way
    let steps: [Step]

    /// - Parameter depth: The number of contexts above the deepest.
    /// - Parameter merges: Whether the contexts merge by themselves; nil for some of them.
    init(
        _ policy: MergePolicy, depth: Int, merges: Bool?, deeds: (mine: Deed, theirs: Deed),
        using random: inout SeededGenerator
    ) {
        self.policy = policy
        self.deeds = deeds
        var merging: [Bool] = []
        for _ in 0...depth { merging.append(merges ?? Bool.random(using: &random)) }
        self.merging = merging
        var steps: [Step] = [.mine] + (0...depth).reversed().map { .save($0) }
        let place = Int.random(in: 0..<steps.count, using: &random)
        steps.insert(.theirs, at: place)
        // A batch in a top context that already holds my change would overwrite that context's own change, not
        // another's.
        let ways = Way.allCases.filter { $0 != .batchAtTheTop || depth > 0 && place <= depth }
        way = ways.randomElement(using: &random) ?? .save
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let level = Int.random(in: 0...depth, using: &random)
            let idle: [Step] = [
                .fetch(level), .fetch(level), .merge(level), .mergeDown(level), .process(level), .lookUp(level),
            ]
            steps.insert(
                idle.randomElement(using: &random) ?? .fetch(level),
                at: Int.random(in: 0...steps.count - 1, using: &random))
        }
        self.steps = steps
    }
}

extension PolicyScript: CustomStringConvertible {
    /// Everything needed to repeat a failure by hand.
    var description: String {
        "policy \(policy), merging \(merging), mine \(deeds.mine), theirs \(deeds.theirs) by \(way): "
            + steps.map { "\($0)" }.joined(separator: ", ")
    }
}

extension PolicyScript {
    /// Plays the script, and throws if the result differs from the table.
    func run(on coordinator: PersistentStoreCoordinator, number: Int) throws {
        var play = try PolicyPlay(self, coordinator, number)
        do { try play.run() } catch {
            throw ConformanceFailure(description: "\(error)\n  \(self)")
        }
    }
}

/// A script under way.
private struct PolicyPlay {
    private let script: PolicyScript
    private let coordinator: PersistentStoreCoordinator
    /// The contexts from the top down.
    private let contexts: [ManagedObjectContext]
    private var held: [Entry?]
    private let others: ManagedObjectContext
    private let tag: ObjectID
    private let id: ObjectID
    /// The number that identifies the entry.
    private let number: Int
    private var theyActed = false
    private var iActed = false
    /// Whether my change was made over theirs.
    private var hasSeen = false
    private var threw = false

    init(_ script: PolicyScript, _ coordinator: PersistentStoreCoordinator, _ number: Int) throws {
        (self.script, self.coordinator, self.number) = (script, coordinator, number)
        others = ManagedObjectContext(coordinator: coordinator)
        let entry = Entry(context: others), tag = Tag(context: others)
        entry.text = "base"
        entry.count = number
        try others.save()
        (id, self.tag) = (entry.objectID, tag.objectID)
        var contexts: [ManagedObjectContext] = []
        for merges in script.merging {
            let context =
                contexts.last.map { ManagedObjectContext(parent: $0) } ?? ManagedObjectContext(coordinator: coordinator)
            context.mergePolicy = script.policy
            context.automaticallyMergesChangesFromParent = merges
            contexts.append(context)
        }
        self.contexts = contexts
        held = try contexts.map { try $0.existingObject(with: entry.objectID) as? Entry }
        for entry in held { try expectEqual(entry?.text, "base") }
    }

    mutating func run() throws {
        for step in script.steps {
            try take(step)
            let broken = contexts.flatMap { $0._checkInvariants() }
            try expect(broken.isEmpty, "\(step): \(broken.joined(separator: "; "))")
            if threw { break }
        }
        try checkStore()
        if !threw { try checkContexts() }
    }

    private mutating func take(_ step: PolicyScript.Step) throws {
        switch step {
        case .theirs: try theyAct()
        case .mine: try act()
        case .save(let level): try save(level)
        case .fetch(let level):
            _ = try contexts[level].fetch(request)
            if script.merging[0...level].allSatisfy({ $0 }) { try checkSight(level, "\(step)") }
        case .merge(let level): contexts[level].mergeChangesFromParent()
        case .mergeDown(let level):
            for context in contexts[0...level] { context.mergeChangesFromParent() }
            try checkSight(level, "\(step)")
        case .process(let level): contexts[level].processPendingChanges()
        case .lookUp(let level):
            held[level] = nil
            held[level] = try contexts[level].fetch(request).first
        }
    }

    private var request: FetchRequest<Entry> { get throws { try FetchRequest<Entry>(where: "count == \(number)") } }

    private func stored() throws -> Entry? { try ManagedObjectContext(coordinator: coordinator).fetch(request).first }

    private mutating func theyAct() throws {
        theyActed = true
        let isEdit = script.deeds.theirs == .edit
        let context = script.way == .batchAtTheTop ? contexts[0] : others
        switch (script.way, script.deeds.theirs) {
        case (.save, .delete):
            others.delete(try others.existingObject(with: id))
            try others.save()
        case (.save, _):
            let entry = try others.existingObject(with: id) as? Entry
            if isEdit { entry?.text = "theirs" } else { entry?.created = Date(milliseconds: 5) }
            try others.save()
        case (_, .delete): try context.execute(BatchDeleteRequest(request))
        default:
            let values: [String: BatchExpression] =
                isEdit ? ["text": "theirs"] : ["created": .value(.date(Date(milliseconds: 5)))]
            try context.execute(
                BatchUpdateRequest(entityName: "Entry", where: Key<Int>("count") == number, set: values))
        }
    }

    private mutating func act() throws {
        guard let context = contexts.last else { return }
        if held[held.count - 1] == nil { held[held.count - 1] = try context.fetch(request).first }
        // This is before the look at the entry, because it merges.
        let tag = try context.existingObject(with: tag)
        guard let entry = held[held.count - 1], entry.managedObjectContext != nil else { return }
        // The look decides. A deleted entry shows its deletion at this point at the latest.
        let text = entry.text, created = entry.created
        guard entry.managedObjectContext != nil else { return }
        hasSeen = theyActed && (text == "theirs" || created != nil)
        iActed = true
        switch script.deeds.mine {
        case .edit, .editOther: entry.text = "mine"
        case .delete: context.delete(entry)
        case .link: try entry.add(tag, to: "tags")
        }
    }

    private mutating func save(_ level: Int) throws {
        do { try contexts[level].save() } catch let error as BackstitchError where error.code == .saveConflict {
            threw = true
            try expect(script.policy == .error, "level \(level) threw \(error)")
            try expect(contexts[level].hasChanges, "the change is gone from level \(level), which threw")
        }
    }
}

// The result that the table demands.
extension PolicyPlay {
    private var isInConflict: Bool { iActed && !hasSeen }
    private var mineWins: Bool { script.policy == .mergeByPropertyObjectTrump || script.policy == .overwrite }
    private var allMerge: Bool { script.merging.allSatisfy { $0 } }

    /// A context that has merged everything, and has no change, shows the stored values.
    private func checkSight(_ level: Int, _ step: String) throws {
        guard !iActed, let entry = held[level] else { return }
        let stored = try stored()
        let text = entry.managedObjectContext == nil ? nil : entry.text
        // Reading the text reveals a missing row.
        let seen = entry.managedObjectContext == nil ? nil : text
        try expectEqual(seen, stored?.text, step)
        if stored != nil { try expectEqual(entry.created, stored?.created, step) }
    }

    private func checkStore() throws {
        let entry = try stored()
        if !isInConflict {
            try expect(!threw, "there is no conflict")
            if iActed {
                try expectEqual(entry?.text, script.deeds.mine == .delete ? nil : "mine")
            } else {
                try expect(entry == nil)
            }
            return
        }
        switch script.deeds {
        case (.delete, .delete):
            try expect(entry == nil)
            if allMerge { try expect(!threw, "both deleted it") }
        case (_, .editOther): try checkMerge(entry)
        case (let mine, let theirs):
            if script.policy == .error { try expect(threw, "no save threw; stored is \(entry?.text ?? "nothing")") }
            let isMine = mineWins && script.policy != .error
            let text: String? =
                if isMine { mine == .edit ? "mine" : mine == .link ? "base" : nil } else {
                    theirs == .delete ? nil : "theirs"
                }
            try expectEqual(entry?.text, text)
            if mine == .link, isMine { try expectEqual(entry?.tags.count, 1) }
        }
    }

    /// Changes of different properties are merged, unless a policy for whole objects knows only one of them.
    private func checkMerge(_ entry: Entry?) throws {
        let (text, theirs) = (entry?.text, entry?.created != nil)
        switch script.policy {
        case .error:
            try expect(theirs && text == (threw ? "base" : "mine"), "\(text ?? "nothing"), \(theirs)")
            if allMerge { try expect(!threw, "they are different properties") }
        case .overwrite: try expect(text == "mine", text ?? "nothing")
        case .rollback: try expect(theirs && text != nil, "\(text ?? "nothing"), \(theirs)")
        default: try expect(theirs && text == "mine", "\(text ?? "nothing"), \(theirs)")
        }
    }

    /// Checks that no context keeps stale values.
    private func checkContexts() throws {
        let stored = try stored()
        for (level, context) in contexts.enumerated() {
            context.mergeChangesFromParent()
            try expect(!context.hasChanges, "level \(level) has changes after the saves")
            let entry = try context.fetch(request).first
            try expectEqual(entry?.text, stored?.text, "level \(level)")
            try expectEqual(entry?.created, stored?.created, "level \(level)")
            try expectEqual(entry?.tags.count, stored?.tags.count, "level \(level)")
        }
    }
}
