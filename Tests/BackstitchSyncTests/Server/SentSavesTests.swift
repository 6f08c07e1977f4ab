import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("saves that stay on this device, by their authors and contexts", .scenario)
struct SentSavesTests: ScenarioSuite {
    private static let options: [StoreOption: any Sendable] = [.syncAuthors: ["editor"], .syncContextNames: ["desk"]]

    @Test("only saves of named authors or contexts are sent; the others are listed")
    func authors() async throws {
        let (a, b) = (try s.device(nil, Self.options), try s.device())
        try await a.edit("editor") { context in _ = try context.make("Note", ["title": "by author"]) }
        try await a.edit(nil, "desk") { context in _ = try context.make("Note", ["title": "by context"]) }
        let held = try await a.edit("importer") { context in try context.make("Note", ["title": "imported"]).objectID }
        try await a.edit { context in _ = try context.make("Note", ["title": "by nobody"]) }
        #expect(try await a.sync.sync().sent == 2)
        try await b.sync.sync()
        #expect(try await b.values("title") == ["by author", "by context"])
        #expect(try await a.values("title").count == 4)
        let listed = try await a.sync.blocked.changes()
        #expect(listed.count == 2 && listed.allSatisfy { $0.reason.contains("syncAuthors") && $0.kind == .insert })
        #expect(try await a.sync.status.pendingCount == 0)
        // All that the server has refused: none of these.
        try await a.sync.blocked.retry()
        #expect(try await a.sync.sync().sent == 0)
        try await a.sync.blocked.retry([held])
        try await s.sync(a, b)
        #expect(try await b.values("title") == ["by author", "by context", "imported"])
    }

    @Test("a save that stays begins no cycle, one that is sent does")
    func cycles() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true, Self.options)
            #expect(try await eventually { try await a.sync.status.isFirstSyncComplete })
            #expect(try await eventually { try await a.sync.status.state == .idle })
            await world.faults.clear()
            try await a.edit("importer") { _ = try $0.make("Note", ["title": "held"]) }
            #expect(await world.faults.requests.contains("records/modify") == false)
            #expect(try await a.sync.status.blockedCount == 1)
            try await a.edit("editor") { _ = try $0.make("Note", ["title": "sent"]) }
            #expect(try await eventually { await world.faults.requests.contains("records/modify") })
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            #expect(try await a.sync.status.blockedCount == 1)
        }
    }

    @Test("batch requests are judged like saves")
    func batches() async throws {
        let a = try s.device(nil, Self.options)
        for author in ["importer", "editor"] {
            try await a.container.perform(author: author) { context in
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Note", objects: (0..<3).map { ["title": .string("\(author) \($0)")] }))
            }
        }
        #expect(try await a.sync.sync().sent == 3)
        try await a.container.perform(author: "importer") { context in
            try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Note")))
        }
        #expect(try await a.sync.sync().sent == 0)
        #expect(try await a.sync.blocked.changes().allSatisfy { $0.kind == .delete })
        #expect(try await s.zone().all().count == 3)
    }

    @Test("a change that stays is merged with others' news of the object, stays then too, and goes with the next edit")
    func merged() async throws {
        let (a, b) = (try s.device(nil, Self.options), try s.device())
        let id = try await a.edit("editor") { try $0.make("Note", ["title": "note", "rank": 1]).objectID }
        try await s.sync(a, b)
        try await a.edit("importer") { try $0.existingObject(with: id).setValue(5, forKey: "rank") }
        try await b.set(id, ["title": "renamed"])
        try await s.sync(b, a)
        try await s.sync(a, b)
        #expect(try await a.values("title") == ["renamed"])
        #expect(try await rank(of: id, on: a) == 5)
        #expect(try await rank(of: id, on: b) == 1)
        #expect(try await a.sync.blocked.changes().map(\.objectID) == [id])
        try await a.edit("editor") { try $0.existingObject(with: id).setValue("by the editor", forKey: "title") }
        try await s.sync(a, b)
        #expect(try await b.values("title") == ["by the editor"])
        #expect(try await rank(of: id, on: b) == 5)
        #expect(try await a.sync.blocked.changes().isEmpty)
    }

    @Test("a deletion that stays takes nothing from others, and others' later edit of the object is a conflict")
    func deletion() async throws {
        let (a, b) = (try s.device(nil, Self.options), try s.device())
        let ids = try await a.edit("editor") { context in
            try ["one", "two"].map { try context.make("Note", ["title": .string($0)]).objectID }
        }
        try await s.sync(a, b)
        try await a.edit("importer") { context in
            for id in ids { context.delete(try context.existingObject(with: id)) }
        }
        try await s.sync(a, b)
        #expect(try await b.values("title") == ["one", "two"])
        #expect(try await a.values("title") == [])
        try await b.set(ids[0], ["title": "edited"])
        try await b.sync.sync()
        let summary = try await a.sync.sync()
        #expect(summary.conflicts.map(\.kind) == [.deletedHereEditedThere])
        #expect(try await a.values("title") == ["edited"])
        try await a.sync.blocked.discard([ids[1]])
        try await s.settle(a, b)
    }

    @Test("new objects that stay outlast a full fetch and a lost zone; to a new zone the others go as they are here")
    func reset() async throws {
        let (a, b) = (try s.device(nil, Self.options), try s.device())
        let sent = try await a.edit("editor") { try $0.make("Note", ["title": "sent"]).objectID }
        try await s.sync(a, b)
        try await a.edit("importer") { context in
            _ = try context.make("Note", ["title": "held"])
            try context.existingObject(with: sent).setValue(7, forKey: "rank")
        }
        try await s.sync(a, b)
        #expect(try await rank(of: sent, on: b) == nil)
        try await a.sync.syncFromScratch()
        #expect(try await a.values("title") == ["held", "sent"])
        try await s.zone().deleteZone()
        for _ in 0..<2 { try await s.sync(a, b) }
        #expect(try await a.values("title") == ["held", "sent"])
        #expect(try await b.values("title") == ["sent"])
        #expect(try await s.zone().all().count == 1)
        #expect(try await rank(of: sent, on: b) == 7)
        #expect(try await a.sync.blocked.changes().count == 1)
    }

    private func rank(of id: ObjectID, on device: SyncDevice) async throws -> Int64? {
        try await device.read { context in
            guard case .int(let rank) = try context.existingObject(with: id).value(forKey: "rank") else { return nil }
            return rank
        }
    }
}

extension SyncDevice {
    /// Changes objects and saves, as an author, in a context of a name.
    @discardableResult
    fileprivate func edit<Result: Sendable>(
        _ author: String?, _ contextName: String? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.perform(author: author) { context in
            context.name = contextName
            let result = try body(context)
            try context.save()
            return result
        }
    }
}
