import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("the public database of a server without extensions", .timeLimit(.minutes(2)))
struct PlainFollowingTests {
    private func device(_ world: PlainWorld, _ name: String? = nil, automatic: Bool = false) throws -> SyncDevice {
        try world.device(name, automatic: automatic, [.syncDatabase: "public", .syncPollInterval: 3_600.0])
    }

    private var low: FetchRequest<TestNote> { get throws { try FetchRequest<TestNote>(where: "rank < 10") } }

    @Test(
        "what is new and changed comes by its time, page by page; what was deleted goes when everything is read again")
    func changes() async throws {
        var behavior = PlainBehavior()
        behavior.page = 3
        try await PlainWorld.run(behavior) { world in
            let maker = try device(world), reader = try device(world)
            let ids = try await maker.addNotes(14)
            try await maker.sync.sync()
            #expect(world.server.publicRecords.count == 14)
            try await reader.sync.following.start(low)
            try await reader.sync.sync()
            #expect(try await reader.titles().count == 10)
            try await maker.change(ids[0]) { note, _ in note.title = "edited" }
            try await maker.change(ids[12]) { note, _ in note.rank = 1 }
            try await maker.change(ids[1]) { note, _ in note.rank = 50 }
            try await maker.delete(ids[2])
            try await maker.sync.sync()
            try await reader.sync.sync()
            // Others' deletions do not show yet, and neither does what fits no more.
            #expect(try await reader.titles().count == 11)
            #expect(try await reader.titles().contains("edited"))
            let unsent = try await reader.publish(["unsent": 3])
            let summary = try await reader.sync.syncFromScratch()
            #expect(summary.conflicts.isEmpty && Set(summary.deleted) == [ids[1], ids[2]])
            #expect(try await reader.titles().count == 10)
            #expect(world.server.publicRecords[unsent[0].key.uuidString] != nil)
            #expect(try await reader.sync.sync().deleted.isEmpty)
            #expect(world.server.refusals.isEmpty, "\(world.server.refusals)")
        }
    }

    @Test("pages of what was modified since are all asked for by one query, as their marks demand")
    func pagesSince() async throws {
        var behavior = PlainBehavior()
        behavior.page = 3
        try await PlainWorld.run(behavior) { world in
            let maker = try device(world), reader = try device(world)
            try await reader.sync.following.start(low)
            try await reader.sync.sync()
            let ids = try await maker.addNotes(9)
            try await maker.sync.sync()
            try await reader.sync.sync()
            #expect(try await reader.titles().count == 9)
            try await maker.edit { context in
                for (number, id) in ids.enumerated() {
                    (try context.existingObject(with: id) as? TestNote)?.title = "edited \(number)"
                }
            }
            try await maker.sync.sync()
            try await reader.sync.sync()
            #expect(try await reader.titles() == (0..<9).map { "edited \($0)" })
            #expect(world.server.refusals.isEmpty, "\(world.server.refusals)")
        }
    }

    @Test("a mark that ends within a reading begins it again, and a restart goes on with it")
    func marks() async throws {
        var behavior = PlainBehavior()
        behavior.page = 4
        try await PlainWorld.run(behavior) { world in
            let maker = try device(world)
            try await maker.addNotes(10)
            try await maker.sync.sync()
            var reader = try device(world, "reader")
            try await reader.sync.following.start(low)
            let queries = Locked(0)
            world.interfere { request, _ in
                guard request.path.contains("records/query") else { return nil }
                let number = queries.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { world.server.expireMarkers() }
                return number >= 5 ? .answer(status: 503, headers: [], body: []) : nil
            }
            await #expect(throws: BackstitchError.self) { try await reader.sync.sync() }
            try reader.close()
            world.interfere(nil)
            reader = try device(world, "reader")
            try await reader.sync.sync()
            #expect(try await reader.titles().count == 10)
        }
    }

    @Test("a device hears of what others publish, by subscriptions to its queries", .timeLimit(.minutes(5)))
    func notified() async throws {
        try await PlainWorld.run { world in
            let reader = try device(world, automatic: true)
            try await reader.sync.following.start(low)
            #expect(try await eventually { try await reader.followedStates() == [.current] })
            let maker = try device(world)
            try await maker.publish(["a": 1, "far": 20])
            try await maker.sync.sync()
            #expect(try await eventually { try await reader.titles() == ["a"] })
        }
    }

    @Test("edits of both sides merge, and one of what was deleted goes by the policy")
    func conflicts() async throws {
        try await PlainWorld.run { world in
            let maker = try device(world), reader = try device(world)
            let ids = try await maker.publish(["a": 1, "b": 2])
            try await maker.sync.sync()
            try await reader.sync.following.start(low)
            try await reader.sync.sync()
            try await maker.change(ids[0]) { note, _ in note.body = "of the maker" }
            try await maker.delete(ids[1])
            try await maker.sync.sync()
            try await reader.change(ids[0]) { note, _ in note.title = "of the reader" }
            try await reader.change(ids[1]) { note, _ in note.title = "edited" }
            let summary = try await reader.sync.sync()
            #expect(summary.conflicts.map(\.kind) == [.editedHereDeletedThere])
            #expect(try await reader.titles() == ["of the reader"])
            let fields = world.server.publicRecords[ids[0].key.uuidString]
            #expect(
                fields?["body"]["value"].text == "of the maker" && fields?["title"]["value"].text == "of the reader")
        }
    }
}
