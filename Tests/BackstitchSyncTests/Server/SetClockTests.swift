import Backstitch
import BackstitchSQL
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// People and time servers set a device's clock. This must make no window of sync longer or shorter: only the elapsed
/// time counts.
@Suite("a device whose clock is set", .scenario)
struct SetClockTests: ScenarioSuite {
    static let jumps: [Int64] = [-86_400_000, -3_600_000, 3_600_000, 86_400_000]

    private func requests(_ endpoint: String) async throws -> Int {
        try await s.faults.requests.count { $0 == endpoint }
    }

    @Test("brings a record whose bytes did not come when its time has come", arguments: jumps)
    func largeValue(_ jump: Int64) async throws {
        let clock = SetClock(try s.clock), a = try s.device(), b = try s.device(by: clock)
        let id = try await a.add(["title": "large", "blob": .data(Data(repeating: 7, count: 1_200_000))])
        try await a.sync.sync()
        try await s.faults.set { $0.endpoint.contains("asset") ? .dropConnection : nil }
        try await b.sync.sync()
        #expect(try await b.titles() == [])
        try await s.faults.clear()
        clock.jump(by: jump)
        try s.clock.advance(by: 60_000)
        #expect(try await b.sync.sync().inserted == [id])
    }

    @Test("brings an asset that did not come when its time has come", arguments: jumps)
    func asset(_ jump: Int64) async throws {
        let clock = SetClock(try s.clock), a = try s.device(), b = try s.device(by: clock)
        let id = try await a.add(["title": "film", "photo": .data(Data(repeating: 7, count: 200_000))])
        try await a.sync.sync()
        try await s.faults.set { $0.endpoint.contains("asset") ? .dropConnection : nil }
        for _ in 0..<4 { _ = try? await b.sync.sync() }
        #expect(try await b.sync.assets.state("photo", of: id) != .local(size: 200_000))
        try await s.faults.clear()
        clock.jump(by: jump)
        try s.clock.advance(by: 600_000)
        try await b.sync.sync()
        #expect(try await b.sync.assets.state("photo", of: id) == .local(size: 200_000))
    }

    @Test("asks for a subscription again after an hour, and no earlier", arguments: jumps)
    func subscription(_ jump: Int64) async throws {
        let clock = SetClock(try s.clock), device = try s.device(nil, [.syncDatabase: "public"], by: clock)
        try await device.sync.following.start(FetchRequest<TestNote>(where: "rank < 10"))
        try await device.sync.sync()
        clock.jump(by: jump)
        for (wait, count) in [(0 as Int64, 0), (3_500_000, 0), (200_000, 1)] {
            try s.clock.advance(by: wait)
            try await s.faults.clear()
            try await device.sync.sync()
            #expect(try await requests("subscriptions/modify") == count, "after \(wait)")
        }
    }

    @Test("deletes an insert that arrives within an hour, and then asks no longer", arguments: jumps)
    func lateInsert(_ jump: Int64) async throws {
        let clock = SetClock(try s.clock), device = try s.device(nil, [.syncDatabase: "public"], by: clock)
        let (note, late) = try await withdrawn(1, on: device)
        clock.jump(by: jump)
        for _ in 0..<2 { try await device.sync.sync() }
        try s.clock.advance(by: 3_400_000)
        let client = device.sync.services.client
        _ = try await client.call(.recordsModify, late, as: RecordsResponse.self)
        try await device.sync.sync()
        #expect(try await client.records(named: [note.key.uuidString])[0] == nil)

        _ = try await withdrawn(2, on: device)
        clock.jump(by: -jump)
        try await device.sync.sync()
        try s.clock.advance(by: 3_700_000)
        try await device.sync.sync()
        try await s.faults.clear()
        try await device.sync.sync()
        #expect(try await requests("records/lookup") == 0)
    }

    @Test("deletes a private insert that arrives when it has many such notes", arguments: jumps)
    func manyInserts(_ jump: Int64) throws {
        let clock = SetClock(LeapingClock()), time = SteadyTime(clock), bench = try JournalBench()
        let keys = (1...UInt64(WithdrawnInsert.maximumCount + 5)).map(key)
        try bench.store.writeJournal(author: SyncAuthor.name) { journal in
            try journal.noteWithdrawn(keys, at: time.milliseconds())
            clock.jump(by: jump)
            // None of them is over, so none is forgotten.
            try journal.noteWithdrawn([key(9_999)], at: time.milliseconds())
            #expect(try journal.withdrawnInserts().count == keys.count + 1)
        }
    }

    /// A note that was deleted after its insert was given up; and the insert, which is still under way.
    private func withdrawn(
        _ number: UInt64, on device: SyncDevice
    ) async throws -> (note: ObjectID, late: RecordsModifyRequest) {
        try await device.sync.sync()
        let note = try await device.add(["title": "late", "rank": 1], number: number)
        try await s.faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: false)
        await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        try await s.faults.clear()
        try await device.delete(note)
        #expect(try await device.sync.sync().sent == 1)
        let record = WireRecord(
            recordName: note.key.uuidString, recordType: "Note",
            fields: ["title": .string("late"), "rank": .int64(1)])
        let zone = device.sync.services.client.zone
        return (note, RecordsModifyRequest(zoneID: zone, operations: [RecordOperation(.create, record)]))
    }
}
