import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("addresses of assets that run out")
struct AssetAddressTests {
    @Test(
        "an upload whose address or receipt runs out before its use is made again, and its change is not set aside",
        arguments: ["assets bytes", "records/modify"])
    func upload(late endpoint: String) async throws {
        let clock = VirtualClock()
        try await SyncWorld.run(clock: clock) { world in
            let device = try world.device()
            let id = try await device.addNote("with photo") { note, _ in note.photo = Data(repeating: 7, count: 9_000) }
            try await device.sync.sync()
            try await device.change(id) { note, _ in note.photo = Data(repeating: 8, count: 9_000) }
            let turns = Locked(0)
            await world.faults.set { request in
                guard request.endpoint == endpoint, turns.withLock({ $0 }) == 0 else { return nil }
                turns.withLock { $0 += 1 }
                clock.advance(by: 3_600 * 1_000)
                do { try await world.server.cleanUp() } catch { Issue.record(error) }
                return nil
            }
            var blocked: [BlockedChange] = []
            for _ in 0..<2 { blocked += try await device.sync.sync().blocked }
            #expect(turns.withLock { $0 } == 1)
            #expect(blocked.isEmpty)
            #expect(try await device.sync.status.pendingCount == 0)
            let other = try world.device()
            #expect(try await other.sync.sync().missingAssets == 0)
            let photo = try await other.read { try $0.fetch(FetchRequest<TestNote>()).first?.photo }
            #expect(photo == Data(repeating: 8, count: 9_000))
        }
    }

    @Test("a download whose address has run out asks the record for another one")
    func download() async throws {
        let clock = VirtualClock()
        try await SyncWorld.run(clock: clock) { world in
            let device = try world.device()
            _ = try await device.addNote("with photo") { note, _ in note.photo = Data(repeating: 7, count: 9_000) }
            try await device.sync.sync()
            let turns = Locked(0)
            await world.faults.set { request in
                guard request.endpoint == "assets download", turns.withLock({ $0 }) == 0 else { return nil }
                turns.withLock { $0 += 1 }
                clock.advance(by: 86_400 * 1_000)
                return nil
            }
            let other = try world.device()
            #expect(try await other.sync.sync().missingAssets == 0)
            #expect(turns.withLock { $0 } == 1)
        }
    }
}
