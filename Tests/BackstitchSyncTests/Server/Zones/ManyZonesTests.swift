import Backstitch
import BackstitchSQLite
import BackstitchSimulator
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

extension SyncDevice {
    /// Makes zones with notes in each, and saves them together.
    fileprivate func fill(_ zones: Range<Int>, notes: Int) async throws {
        for zone in zones { try await sync.zones.create(named: "Z\(zone)") }
        try await edit { context in
            for zone in zones {
                for number in 0..<notes {
                    let note = TestNote(context: context)
                    note.title = "note \(number) of \(zone)"
                    try context.assign(note, toZone: "Z\(zone)")
                }
            }
        }
    }

    /// How many transactions have brought something into the store by sync.
    fileprivate var steps: Int64 { get throws { try store.backing.readJournal { try $0.generation() } } }

    /// The statements of a cycle; nil for stores that do not count them.
    fileprivate func statementsOfCycle() async throws -> Int? {
        guard let backing = store.backing as? SQLiteStore else { return nil }
        let before = backing.statementCount
        try await sync.sync()
        return backing.statementCount - before
    }
}

extension Scenario {
    /// The requests that a cycle of a device takes, by their endpoints.
    fileprivate func requests(of device: SyncDevice) async throws -> [String: Int] {
        await faults.clear()
        try await device.sync.sync()
        return Dictionary(await faults.requests.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

@Suite("many zones")
struct ManyZonesTests {
    @Test("forty zones are made, read and read again with few requests and transactions, not with some for each")
    func few() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<40, notes: 3)
            let sent = try await s.requests(of: a)
            #expect(sent["zones/modify"] == 2, "\(sent)")
            #expect(sent["changes/zone", default: 0] <= 4, "\(sent)")
            #expect(sent["records/modify"] == 40, "\(sent)")
            let before = try b.steps
            let first = try await s.requests(of: b)
            #expect(first.values.reduce(0, +) <= 16, "\(first)")
            #expect(first["changes/zone", default: 0] <= 4, "\(first)")
            #expect(try b.steps - before <= 4)
            #expect(try await b.dump() == a.dump())
            try await a.edit { context in
                for note in try context.fetch(FetchRequest<TestNote>()) { note.body = "changed" }
            }
            try await s.sync(a)
            let again = try await s.requests(of: b)
            #expect(again.values.reduce(0, +) <= 5, "\(again)")
            #expect(try await b.dump() == a.dump())
            try await s.expectNothingUnsent()
        }
    }

    @Test("a cycle without news takes as many requests and statements in a store of forty zones as in one of two")
    func idle() async throws {
        var costs: [(requests: Int, statements: Int?)] = []
        for count in [2, 40] {
            try await Scenario.run { s in
                let a = try s.device()
                try await a.fill(0..<count, notes: 1)
                for _ in 0..<2 { try await s.sync(a) }
                let requests = try await s.requests(of: a).values.reduce(0, +)
                costs.append((requests, try await a.statementsOfCycle()))
            }
        }
        #expect(costs[1].requests == costs[0].requests)
        #expect(costs[1].statements == costs[0].statements)
    }

    @Test("everything of forty zones is read again together, and what was deleted meanwhile is found")
    func fromScratch() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<40, notes: 3)
            try await s.settle()
            for number in [3, 17] { try await a.delete(try await a.note("note 1 of \(number)")) }
            try await s.sync(a)
            await s.faults.clear()
            try await b.sync.syncFromScratch()
            let requests = await s.faults.requests.count { $0 == "changes/zone" }
            #expect(requests <= 4)
            #expect(try await b.titles().count == 118)
            #expect(try await b.dump() == a.dump())
        }
    }

    @Test("a zone that was made anew is not taken for the known one when everything of several is read again")
    func otherLife() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair([.syncResetPolicy: "keep"])
            try await a.fill(0..<3, notes: 1)
            try await s.settle()
            try await a.sync.zones.delete(named: "Z1")
            try await a.fill(1..<2, notes: 0)
            try await s.sync(a)
            try await b.sync.syncFromScratch()
            #expect(try await b.titles() == ["note 0 of 0", "note 0 of 1", "note 0 of 2"])
            try await s.settle()
            try await s.expectNothingUnsent()
        }
    }

    @Test("zones of many pages, and of none, arrive whole, whatever an answer has room for", arguments: [1, 4])
    func pages(page: Int) async throws {
        let limits = WireLimits(
            operations: 50, bytes: 8_388_608, page: page, record: 1_048_576, asset: 52_428_800, answer: 40_000)
        try await Scenario.run(limits: limits) { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<6, notes: 7)
            try await a.fill(6..<9, notes: 0)
            try await a.fill(9..<10, notes: 31)
            try await s.settle()
            #expect(try await b.titles().count == 6 * 7 + 31)
            #expect(try await b.sync.zones.all().count == 11)
        }
    }

    @Test("zones that went, or were made anew, keep the others from nothing")
    func lost() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<5, notes: 2)
            try await s.settle()
            try await a.sync.zones.delete(named: "Z1")
            try await a.sync.zones.delete(named: "Z3")
            try await a.sync.zones.create(named: "Z3")
            try await a.edit { context in
                for note in try context.fetch(FetchRequest<TestNote>()) { note.body = "changed" }
                let new = TestNote(context: context)
                new.title = "new"
                try context.assign(new, toZone: "Z3")
            }
            try await s.sync(a)
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
            #expect(try await b.titles().count == 7)
            try await s.settle()
            try await s.expectNothingUnsent()
        }
    }

    @Test("several zones that went are forgotten by one sync")
    func severalGone() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<5, notes: 1)
            try await s.settle()
            for name in ["Z1", "Z2", "Z4"] { try await a.sync.zones.delete(named: name) }
            let summary = try await b.sync.sync()
            #expect(summary.deleted.count == 3)
            #expect(try await b.dump() == a.dump())
        }
    }

    @Test("edits of both sides in many zones merge, and what that leaves to send is sent in the same cycle")
    func merged() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<6, notes: 2)
            try await s.settle()
            try await a.edit { for note in try $0.fetch(FetchRequest<TestNote>()) { note.body = "a" } }
            try await b.edit { for note in try $0.fetch(FetchRequest<TestNote>()) { note.rank = 7 } }
            try await s.sync(a, b, a)
            #expect(try await b.dump() == a.dump())
            #expect(try await a.values("body") == Array(repeating: "a", count: 12))
            try await s.expectNothingUnsent()
        }
    }

    @Test("lines that break at random while many zones are read lose nothing, and double nothing", arguments: 0..<8)
    func broken(seed: UInt64) async throws {
        let limits = WireLimits(operations: 7, bytes: 8_388_608, page: 5, record: 1_048_576, asset: 52_428_800)
        try await Scenario.run(limits: limits) { s in
            let (a, b) = try s.pair()
            try await a.fill(0..<12, notes: 4)
            try await s.sync(a)
            await s.faults.failAtRandom(6, seed)
            for _ in 0..<4 { try? await b.sync.sync() }
            await s.faults.clear()
            try await s.settle(comment: "seed \(seed)")
            #expect(try await b.titles().count == 48, "seed \(seed)")
        }
    }

    @Test("a server that knows CloudKit Web Services only is asked about many zones at once as well")
    func plain() async throws {
        for behavior in PlainServerTests.behaviors {
            try await PlainWorld.run(behavior) { world in
                let a = try world.device(), b = try world.device()
                try await a.fill(0..<8, notes: 3)
                try await a.sync.sync()
                let before = world.server.counts["changes/zone", default: 0]
                try await b.sync.sync()
                let requests = world.server.counts["changes/zone", default: 0] - before
                if !behavior.sendsEmptyPages, behavior.page > 3 { #expect(requests <= 3, "\(behavior)") }
                #expect(try await b.dump() == a.dump(), "\(behavior)")
                #expect(try await b.titles().count == 24, "\(behavior)")
            }
        }
    }
}
