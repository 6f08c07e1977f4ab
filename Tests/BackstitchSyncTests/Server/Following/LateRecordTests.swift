import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("records that come late to the public database", .scenario)
struct LateRecordTests: ScenarioSuite {
    /// A device that has sent a note, given the request up, deleted the note, and sent the deletion; and that request.
    private func deleted(
        _ number: UInt64 = 1
    ) async throws -> (device: SyncDevice, note: ObjectID, late: RecordsModifyRequest) {
        let device = try s.device(nil, [.syncDatabase: "public"])
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
        return (device, note, RecordsModifyRequest(zoneID: zone, operations: [RecordOperation(.create, record)]))
    }

    private func arrive(_ late: RecordsModifyRequest, _ device: SyncDevice) async throws {
        let client = device.sync.services.client
        _ = try await client.call(.recordsModify, late, as: RecordsResponse.self)
    }

    private func isThere(_ note: ObjectID, _ device: SyncDevice) async throws -> Bool {
        try await device.sync.services.client.records(named: [note.key.uuidString])[0] != nil
    }

    @Test("an insert that arrives when its object was deleted is deleted after all, though its maker follows nothing")
    func late() async throws {
        let (device, note, late) = try await deleted()
        try await arrive(late, device)
        #expect(try await isThere(note, device))
        try await device.sync.sync()
        #expect(try await !isThere(note, device))
        #expect(try await device.titles() == [])
        // Another request may be under way.
        try await arrive(late, device)
        try await device.sync.sync()
        #expect(try await !isThere(note, device))
    }

    @Test("an object that undo has made again in the meantime stays")
    func madeAgain() async throws {
        let (device, note, late) = try await deleted()
        try await arrive(late, device)
        try await device.add(["title": "late", "rank": 1], number: 1)
        try await device.sync.sync()
        #expect(try await isThere(note, device))
        #expect(try await device.titles() == ["late"])
        // It is no longer an insert that was given up, even without any local record of it.
        try await device.sync.eraseLocal()
        try await device.sync.sync()
        #expect(try await isThere(note, device))
    }

    @Test("an object that undo has made again stays on the server when it is no longer followed")
    func unfollowed() async throws {
        let (device, note, _) = try await deleted()
        try await device.sync.following.start(PublicNotes.low)
        try await device.add(["title": "late", "rank": 1], number: 1)
        try await device.sync.sync()
        #expect(try await device.titles() == ["late"])
        try await device.sync.following.stop(PublicNotes.low)
        for _ in 0..<2 { try await device.sync.sync() }
        #expect(try await device.titles() == [])
        #expect(try await isThere(note, device))
    }

    @Test("an insert that has not arrived within an hour is asked for once more, and then no longer")
    func over() async throws {
        let (device, note, late) = try await deleted()
        for _ in 0..<2 {
            try await s.faults.clear()
            try await device.sync.sync()
            #expect(try await s.faults.requests.contains("records/lookup"))
        }
        try s.clock.advance(by: 3_600_000)
        try await arrive(late, device)
        try await device.sync.sync()
        #expect(try await !isThere(note, device))

        let (other, _, _) = try await deleted(2)
        try s.clock.advance(by: 3_700_000)
        for isAsked in [true, false] {
            try await s.faults.clear()
            try await other.sync.sync()
            #expect(try await s.faults.requests.contains("records/lookup") == isAsked)
        }
    }
}
