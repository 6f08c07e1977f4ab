import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("limits of the server")
struct LimitTests {
    private static let small = WireLimits(
        operations: 40, bytes: 40_000, page: 50, record: 1_000_000, asset: 1_000_000)

    @Test(
        "batches are cut at the server's counts and bytes; what is too large alone is listed, and goes when it is mended (T18)"
    )
    func tooLarge() async throws {
        try await SyncWorld.run(limits: Self.small) { world in
            let a = try world.device(), b = try world.device()
            let large = try await a.edit { context in
                for number in 0..<200 {
                    let note = TestNote(context: context)
                    note.title = "note \(number)"
                    note.body = String(repeating: "x", count: number % 7 * 500)
                }
                // One is larger than a request may be, one larger than a record may be.
                return [100_000, 1_200_000].map { size in
                    let note = TestNote(context: context)
                    note.title = "large \(size)"
                    note.body = String(repeating: "y", count: size)
                    return note.objectID
                }
            }
            let summary = try await a.sync.sync()
            #expect(summary.sent == 200)
            #expect(Set(summary.blocked.map(\.objectID)) == Set(large))
            let blocked = try await a.sync.blocked.changes()
            #expect(blocked.count == 2 && blocked.allSatisfy { !$0.reason.isEmpty })
            #expect(await world.faults.requests.count { $0 == "records/modify" } > 5)
            try await b.sync.sync()
            #expect(try await b.titles().count == 200)
            for id in large { try await a.change(id) { note, _ in note.body = "short" } }
            _ = try await converge(a, b)
            #expect(try await b.titles().count == 202)
            #expect(try await a.sync.status.blockedCount == 0)
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test(
        "objects of so many words that the server's index takes only some of them in a request arrive in smaller ones")
    func manyWords() async throws {
        try await SyncWorld.run { world in
            // In slow builds an answer may take longer. With a shorter timeout it would be lost, and its objects not
            // counted.
            let a = try world.device(nil, [.syncRequestTimeout: 60])
            let b = try world.device(), view = try WireView(world)
            let first = try await a.addNote("the first one")
            try await a.sync.sync()
            let words = QueryFilter("body", .containsAllTokens, .string("w1"))
            #expect(try await view.query(RecordQuery(recordType: "Note", filterBy: [words])).isEmpty)
            // 60 entries each. A request may make 20,000.
            try await a.edit { context in
                for number in 0..<1_000 {
                    let note = TestNote(context: context)
                    note.title = "note \(number)"
                    note.body = (0..<60).map { "w\($0)" }.joined(separator: " ")
                }
            }
            let before = await world.faults.requests.count { $0 == "records/modify" }
            let summary = try await a.sync.sync()
            #expect(summary.sent == 1_000 && summary.blocked.isEmpty)
            #expect(await world.faults.requests.count { $0 == "records/modify" } - before >= 3)
            try await b.sync.sync()
            #expect(try await b.titles().count == 1_001)
            #expect(try await !view.query(RecordQuery(recordType: "Note", filterBy: [words])).isEmpty)
            #expect(try await view.record(first) != nil)
        }
    }

    @Test("other devices see a save whole or not at all, as long as it fits a request")
    func wholeSaves() async throws {
        try await SyncWorld.run(limits: Self.small) { world in
            let a = try world.device()
            // Saves of 1 to 17 objects each, 40 in a request: a request ends at the end of a save.
            for save in 0..<12 {
                try await a.edit { context in
                    for _ in 0...(save * 5 % 17) { TestNote(context: context).rank = save }
                }
            }
            let view = try WireView(world)
            let seen = Locked<[[Int64: Int]]>([])
            await world.faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                do {
                    let ranks = try await view.all().compactMap { record -> Int64? in
                        if case .int64(let rank) = record.value("rank") { rank } else { nil }
                    }
                    seen.withLock { $0.append(Dictionary(ranks.map { ($0, 1) }, uniquingKeysWith: +)) }
                } catch { Issue.record(error) }
                return nil
            }
            try await a.sync.sync()
            #expect(seen.withLock { $0.count } > 2)
            for counts in seen.withLock({ $0 }) {
                for (save, count) in counts { #expect(count == Int(save) * 5 % 17 + 1, "save \(save)") }
            }
        }
    }

    @Test("a change that is not taken holds back what was saved along with it, until it is settled, and then no longer")
    func heldBack() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let contested = try await a.addNote("base")
            _ = try await converge(a, b)
            try await a.edit { context in
                (try context.existingObject(with: contested) as? TestNote)?.title = "A"
                for number in 0..<20 { TestNote(context: context).title = "with it \(number)" }
            }
            let counts = Locked<[Int]>([])
            let view = try WireView(world)
            await world.faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                do {
                    if counts.withLock({ $0.isEmpty }) {
                        counts.withLock { $0.append(0) }
                        try await b.change(contested) { note, _ in note.title = "B" }
                        try await b.sync.sync()
                    } else {
                        let count = try await view.all().count
                        counts.withLock { $0.append(count) }
                    }
                } catch { Issue.record(error) }
                return nil
            }
            let summary = try await a.sync.sync()
            await world.faults.clear()
            #expect(summary.conflicts.map(\.keys) == [["title"]])
            // b's own push, then a's second one: nothing of a's save was there before it.
            #expect(counts.withLock { $0.dropFirst().allSatisfy { $0 == 1 } })
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(dumps[0].count == 21)
            // One bad record of a save stops the others only until it is known.
            try await a.edit { context in
                for number in 0..<5 { TestNote(context: context).title = "next \(number)" }
                try TestNote(context: context).setValue(.double(.infinity), forKey: "ratio")
            }
            let next = try await a.sync.sync()
            #expect(next.sent == 5 && next.blocked.count == 1)
        }
    }
}
