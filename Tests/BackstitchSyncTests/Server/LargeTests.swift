import Backstitch
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("a large zone")
struct LargeTests {
    @Test("a first sync takes memory by the page, not by the zone, and tells when everything is here (T17)", .onFiles)
    func firstSync() async throws {
        let count = Effort.size("SCALE", usual: 20_000, whole: 150_000)
        try await SyncWorld.run { world in
            let view = try WireView(world)
            try await view.makeZone()
            for start in stride(from: 0, to: count, by: 2_000) {
                try await view.createNotes(start..<min(start + 2_000, count))
            }
            let probe = try TestProcess(world, folder: world.folder(of: "phone"))
            #expect(try await probe.nextLine()?.hasPrefix("ready") == true)
            // This tests its memory, not its time. The time is long if other tests have the processor.
            #expect(
                try await eventually(within: .seconds(900)) {
                    try await probe.ask("count") == "count \(count) complete"
                })
            let peak = try probe.memory()
            probe.kill()
            #expect(peak < 200 << 20, "\(peak >> 20) MB for \(count) records")
            // Nothing is left to send or to read.
            let device = try world.device("phone")
            await world.faults.clear()
            let summary = try await device.sync.sync()
            #expect(summary.received == 0 && summary.sent == 0 && summary.parked.isEmpty)
            print("counted: a first sync of \(count) records, peak memory \(peak >> 20) MB")
        }
    }
}
