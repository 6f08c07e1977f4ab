import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("Saves of another process")
struct ArrivalTests {
    /// Half of the saves are there within this time; a store that looked twice a second would need 250 ms.
    private static let limit = 100.0

    @Test("are told of within 100 ms of their return")
    func arrive() async throws {
        let fixture = try StoreFixture(.probe)
        let container = try PersistentContainer(
            model: .probe, store: PersistentStoreDescription(type: .sqlite, url: fixture.file))
        var delays: [Double] = []
        // Where all processors are taken for a while, another round tells.
        for _ in 0..<3 {
            delays = try await measure(container, fixture.file)
            if delays[delays.count / 2] <= Self.limit { break }
        }
        let median = delays[delays.count / 2]
        print("counted: another process's save arrives after \(median.rounded()) ms (median of \(delays.count))")
        #expect(median <= Self.limit)
        try container.close()
    }

    /// Has a process save twenty times, and gives how many milliseconds after its return each save was told of, in
    /// order.
    private func measure(_ container: PersistentContainer, _ file: URL) async throws -> [Double] {
        let changes = container.coordinator.remoteChanges
        let told = Task {
            var times: [UInt64] = []
            var objects = 0
            for await change in changes {
                times.append(DispatchTime.now().uptimeNanoseconds)
                // A group and its items.
                objects += change.inserted.count
                if objects >= 20 * 21 { break }
            }
            return times
        }
        let probe = try await TestProcess(["tick", file.path, "20"]).ended()
        #expect(probe.status == 0)
        let arrivals = await told.value
        let saves = probe.lines.map { $0.split(separator: " ").compactMap { UInt64($0) } }
        try #require(saves.count == 20 && saves.allSatisfy { $0.count == 2 })
        return try saves.map { save in
            let arrival = try #require(arrivals.first { $0 >= save[0] })
            return arrival < save[1] ? 0 : Double(arrival - save[1]) / 1e6
        }.sorted()
    }
}
