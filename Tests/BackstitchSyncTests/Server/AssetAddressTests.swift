import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("addresses of assets that run out", .scenario)
struct AssetAddressTests: ScenarioSuite {
    @Test(
        "an upload whose address or receipt runs out before its use is made again, and its change is not set aside",
        arguments: ["assets bytes", "records/modify"])
    func upload(late endpoint: String) async throws {
        let s = try s, device = try s.device()
        let id = try await device.addNote("with photo") { note, _ in note.photo = Data(repeating: 7, count: 9_000) }
        try await device.sync.sync()
        try await device.change(id) { note, _ in note.photo = Data(repeating: 8, count: 9_000) }
        let turns = Locked(0)
        await s.faults.set { request in
            guard request.endpoint == endpoint, turns.withLock({ $0 }) == 0 else { return nil }
            turns.withLock { $0 += 1 }
            s.clock.advance(by: 3_600 * 1_000)
            do { try await s.server.cleanUp() } catch { Issue.record(error) }
            return nil
        }
        var blocked: [BlockedChange] = []
        for _ in 0..<2 { blocked += try await device.sync.sync().blocked }
        #expect(turns.withLock { $0 } == 1)
        #expect(blocked.isEmpty)
        #expect(try await device.sync.status.pendingCount == 0)
        let other = try s.device()
        #expect(try await other.sync.sync().missingAssets == 0)
        let photo = try await other.read { try $0.fetch(FetchRequest<TestNote>()).first?.photo }
        #expect(photo == Data(repeating: 8, count: 9_000))
    }

    @Test("a download whose address has run out asks the record for another one")
    func download() async throws {
        let s = try s, device = try s.device()
        _ = try await device.addNote("with photo") { note, _ in note.photo = Data(repeating: 7, count: 9_000) }
        try await device.sync.sync()
        let turns = Locked(0)
        await s.faults.set { request in
            guard request.endpoint == "assets download", turns.withLock({ $0 }) == 0 else { return nil }
            turns.withLock { $0 += 1 }
            s.clock.advance(by: 86_400 * 1_000)
            return nil
        }
        let other = try s.device()
        #expect(try await other.sync.sync().missingAssets == 0)
        #expect(turns.withLock { $0 } == 1)
    }
}
