import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("conflicts of which both sides stay", .scenario)
struct KeepBothTests: ScenarioSuite {
    private static let resolvers: ConflictResolvers = ["Note": { _ in .keepBoth }]

    /// Two devices that have changed the same note while they did not hear of each other. The first has synced.
    private func quarrel(
        _ resolvers: ConflictResolvers = Self.resolvers
    ) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = try s.pair([.syncConflictResolvers: resolvers])
        let id = try await a.add(["title": "T", "body": "B"], number: 1)
        try await s.settle()
        try await a.set(id, ["title": "A's", "rank": 1])
        try await b.set(id, ["title": "B's", "body": "edited"])
        try await a.sync.sync()
        return (a, b, id)
    }

    @Test("the object has the server's values and a copy those from here, on every device, however often they sync")
    func edits() async throws {
        let (a, b, id) = try await quarrel()
        let summary = try await b.sync.sync()
        let conflict = try #require(summary.conflicts.first)
        let copy = try #require(conflict.copy)
        #expect(summary.conflicts.count == 1 && conflict.objectID == id && conflict.winner == .both)
        #expect(conflict.keys == ["title"] && copy != id && copy.entityName == "Note")
        #expect(summary.inserted.contains(copy))
        try await s.settle()
        for device in [a, b] {
            #expect(try await device.titles() == ["A's", "B's"])
            let both = try await device.read { context in
                try [id, copy].map { id in
                    let note = try context.existingObject(with: id)
                    return try ["title", "body", "rank"].map { try note.value(forKey: $0) }
                }
            }
            #expect(both == [["A's", "edited", 1], ["B's", "edited", 1]])
        }
        try await s.expectNothingUnsent()
        #expect(try await a.sync.sync().conflicts.isEmpty)
        #expect(try await b.sync.sync().conflicts.isEmpty)
    }

    @Test("the copy has the links that lead from the object; what leads to it stays with the original")
    func links() async throws {
        let (a, b, id) = try await quarrel()
        try await b.edit { context in
            let note = try context.existingObject(with: id)
            guard let note = note as? TestNote else { return }
            note.tags = [TestTag(context: context)]
        }
        let copy = try #require(try await b.sync.sync().conflicts.first?.copy)
        try await s.settle()
        for device in [a, b] {
            let counts = try await device.read { context in
                try [id, copy].map { (try context.existingObject(with: $0) as? TestNote)?.tags.count }
            }
            #expect(counts == [1, 1])
        }
    }

    @Test("of a deletion and an edit the edit stays, whichever side has made it", arguments: [true, false])
    func deletions(isDeletedHere: Bool) async throws {
        let (a, b) = try s.pair([.syncConflictResolvers: Self.resolvers])
        let id = try await a.add(["title": "T"], number: 1)
        try await s.settle()
        let (deleter, editor) = isDeletedHere ? (b, a) : (a, b)
        try await deleter.delete(id)
        try await editor.set(id, ["title": "edited"])
        try await a.sync.sync()
        let conflicts = try await b.sync.sync().conflicts
        #expect(conflicts.map(\.winner) == [isDeletedHere ? .server : .client] && conflicts.first?.copy == nil)
        try await s.settle()
        for device in [a, b] { #expect(try await device.titles() == ["edited"]) }
    }

    @Test("an entity with unique values cannot have both: the change waits with that reason, and nothing is lost")
    func unique() async throws {
        let resolvers: ConflictResolvers = ["Tag": { _ in .keepBoth }]
        let a = try s.device(model: UniqueModel.description, [.syncConflictResolvers: resolvers])
        let b = try s.device(model: UniqueModel.description, [.syncConflictResolvers: resolvers])
        let id = try await a.edit { context in try context.make("Tag", ["name": "craft"]).objectID }
        for device in [a, b] { try await device.sync.sync() }
        try await a.edit { try $0.existingObject(with: id).setValue("red", forKey: "color") }
        try await b.edit { try $0.existingObject(with: id).setValue("blue", forKey: "color") }
        try await a.sync.sync()
        let blocked = try await b.sync.sync().blocked
        #expect(blocked.map(\.objectID) == [id])
        #expect(blocked.first?.reason.contains("has unique values") == true)
        #expect(try await b.read { try $0.existingObject(with: id).value(forKey: "color") } == "blue")
        #expect(try await a.read { try $0.existingObject(with: id).value(forKey: "color") } == "red")
    }

    @Test("where the answer is lost after the copy was sent, there is one copy", arguments: [true, false])
    func lostAnswer(dies: Bool) async throws {
        let a = try s.device(policy: .serverWins, [.syncConflictResolvers: Self.resolvers])
        var b = try s.device("b", [.syncConflictResolvers: Self.resolvers])
        let id = try await a.add(["title": "T"], number: 1)
        try await s.settle()
        try await a.set(id, ["title": "A's"])
        try await b.set(id, ["title": "B's"])
        try await a.sync.sync()
        try await s.sync(b, .lostAnswer)
        if dies {
            try b.close()
            b = try s.device("b", [.syncConflictResolvers: Self.resolvers])
        }
        try await s.settle(a, b)
        for device in [a, b] { #expect(try await device.titles() == ["A's", "B's"]) }
    }
}
