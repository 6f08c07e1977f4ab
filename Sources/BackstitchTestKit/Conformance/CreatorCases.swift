import Backstitch

extension StoreConformance {
    /// Rights by the creators of objects, as in the public database.
    ///
    /// A backend must
    /// - refuse saves and batch requests beyond them (``JournalWriting/setCreatorRights(_:)``), in the same
    ///   transaction;
    /// - keep out of the outbox what a deletion does to objects that the user may not change.
    ///
    /// A backend without such rights leaves the methods out, and passes too.
    static let creatorCases = [
        ConformanceCase.journal("saves do what the rights by the creators of objects allow, each right by itself") {
            bench, journal in
            guard let world = try CreatorBench(bench, journal) else { return }
            for number in 0..<8 {
                let rights = CreatorRights.Rights(
                    mayCreate: number & 1 != 0, mayChangeOwn: number & 2 != 0, mayChangeOthers: number & 4 != 0)
                try world.set(CreatorRights(user: "_me", standard: rights))
                try world.expectRights(rights, "standard \(number)")
                try world.set(CreatorRights(user: "_me", entities: ["Entry": rights]))
                try world.expectRights(rights, "Entry \(number)")
            }
        },
        ConformanceCase.journal("a refused save names object and creator, and changes nothing") { bench, journal in
            guard let world = try CreatorBench(bench, journal) else { return }
            let before = try bench.all("Entry"), entries = try journal.readJournal { try $0.outbox(after: 0, limit: 9) }
            let error = try expectError(.permissionDenied) { try world.update(world.others, "x") }
            for part in ["_bob", "Entry", world.others.uuidString] { try expect("\(error)".contains(part), "\(error)") }
            try expectError(.permissionDenied) { try world.delete(world.others) }
            try expectError(.permissionDenied) {
                try bench.save { $0.links = [try bench.links("tags", of: "Entry", added: [(world.others, world.tag)])] }
            }
            try expectError(.permissionDenied) {
                try bench.save { request in
                    request.inserts = [try bench.rows("Entry", world.new)]
                    request.deletes = [try world.rows("Entry", world.others)]
                }
            }
            try expectEqual(try bench.all("Entry").keys, before.keys)
            try expectEqual(try journal.readJournal { try $0.outbox(after: 0, limit: 9) }, entries)
            // Held saves are not sent, so they need no right. Sync may write anything.
            try world.update(world.others, "held", isHeld: true)
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(try bench.rows("Entry", [(world.others, ["text": .string("of Bob")])]))
            }
        },
        ConformanceCase.journal("objects without a known creator or user are nobody else's") { bench, journal in
            guard let world = try CreatorBench(bench, journal) else { return }
            try expectError(.permissionDenied) { try world.update(world.others, "refused") }
            try world.set(CreatorRights(user: nil))
            try world.update(world.others, "user unknown")
            try world.set(CreatorRights(user: "_me"))
            try journal.writeJournal(author: "sync") { try $0.removeCreators([world.others]) }
            try world.update(world.others, "creator unknown")
            try journal.writeJournal(author: "sync") { try $0.putCreators([world.others: "_bob"]) }
            try expectError(.permissionDenied) { try world.update(world.others, "refused") }
            // Without rights, creators are forgotten.
            try world.set(nil)
            try world.update(world.others, "no rights")
            try expectEqual(try journal.readJournal { try $0.creatorRights() } == nil, true)
            try world.set(CreatorRights(user: "_me"))
            try expectEqual(try journal.readJournal { try $0.creators(of: [world.own, world.others]) }, [:])
        },
        ConformanceCase.journal("a deletion ends links of others' objects, and that is not sent") { bench, journal in
            guard let world = try CreatorBench(bench, journal) else { return }
            try world.set(nil)
            try bench.save { $0.links = [try bench.links("tags", of: "Entry", added: [(world.others, world.tag)])] }
            try journal.writeJournal(author: "sync") { try $0.removeOutbox([world.others, world.tag]) }
            try world.set(CreatorRights(user: "_me"))
            try journal.writeJournal(author: "sync") { try $0.putCreators([world.others: "_bob"]) }
            try bench.save { $0.deletes = [try world.rows("Tag", world.tag)] }
            let sent = try journal.readJournal { try $0.outbox(for: [world.others, world.tag]) }
            try expectEqual(Set(sent.keys), [world.tag])
        },
    ]
}

/// Entries of the user and of another one, and a tag of nobody else, in a store with rights by creator.
private struct CreatorBench {
    let own: ObjectKey
    let others: ObjectKey
    let tag: ObjectKey
    let new: ObjectKey
    private let bench: StoreBench
    private let journal: any JournalingStore

    /// Returns nil for a store without such rights. It must ignore them.
    init?(_ bench: StoreBench, _ journal: any JournalingStore) throws {
        (self.bench, self.journal) = (bench, journal)
        let keys = bench.keys(4)
        (own, others, tag, new) = (keys[0], keys[1], keys[2], keys[3])
        let entries = [own, others]
        try bench.save { request in
            request.inserts = [try bench.rows("Entry", entries.map { ($0, [:]) }), try bench.rows("Tag", tag)]
        }
        try set(CreatorRights(user: "_me"))
        guard try journal.readJournal({ try $0.creatorRights() }) != nil else { return nil }
        let states = entries.map { RecordState(objectID: ObjectID(entityName: "Entry", key: $0), changeTag: "t") }
        try journal.writeJournal(author: "sync") { [others, own] journal in
            try journal.removeOutbox(keys)
            try journal.putRecordStates(states)
            try journal.putCreators([others: "_ada", own: "_me"])
            // A later note replaces an earlier one.
            try journal.putCreators([others: "_bob"])
        }
        try expectEqual(try journal.readJournal { try $0.creators(of: keys) }, [own: "_me", others: "_bob"])
    }

    func set(_ rights: CreatorRights?) throws {
        try journal.writeJournal(author: "sync") { try $0.setCreatorRights(rights) }
        try expectEqual(try journal.readJournal { try $0.creatorRights() } ?? rights, rights)
    }

    func rows(_ entity: String, _ key: ObjectKey) throws -> RowBatch {
        try bench.store.rows(of: bench.entity(entity), keys: [key])
    }

    func update(_ key: ObjectKey, _ text: String, isHeld: Bool = false) throws {
        let rows = try rows("Entry", key)
        try bench.save { request in
            request.isHeld = isHeld
            request.updates = [bench.update(rows) { _ in ["text": .string(text)] }]
        }
    }

    func delete(_ key: ObjectKey) throws {
        let rows = try rows("Entry", key)
        try bench.save { $0.deletes = [rows] }
    }

    /// Tries what the rights are for, and expects a refusal without the right. In the end the objects are the same.
    func expectRights(_ rights: CreatorRights.Rights, _ text: String) throws {
        func attempt(_ isAllowed: Bool, _ body: () throws -> Void) throws {
            if isAllowed { try body() } else { try expectError(.permissionDenied, body) }
        }
        try attempt(rights.mayChangeOwn) { try update(own, text) }
        try attempt(rights.mayChangeOthers) { try update(others, text) }
        try attempt(rights.mayCreate) { try bench.save { $0.inserts = [try bench.rows("Entry", new)] } }
        guard rights.mayCreate else { return }
        // The object was never sent, so the right to create is enough.
        try update(new, text)
        try delete(new)
    }
}
