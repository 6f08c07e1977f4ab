import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("Saves of another process")
struct ArrivalTests {
    /// The limit for half of the saves, in milliseconds. A store that looked twice a second would need 250 ms.
    private static let limit = 100.0

    @Test("are told of within 100 ms of their return")
    func arrive() async throws {
        let fixture = try StoreFixture(.probe)
        var delays: [Double] = []
        // Where all processors are taken for a while, another round tells.
        for _ in 0..<5 {
            delays = try await measure(fixture.file)
            if delays[delays.count / 2] <= Self.limit { break }
        }
        let median = delays[delays.count / 2]
        print("counted: another process's save arrives after \(median.rounded()) ms (median of \(delays.count))")
        #expect(median <= Self.limit)
    }

    /// One process saves twenty times while another one listens. Returns the milliseconds from the end of each save to
    /// its notification, in rising order.
    ///
    /// The listener is a process too: in this one, tasks of other tests may occupy the threads for a long time.
    private func measure(_ file: URL) async throws -> [Double] {
        let listener = try TestProcess(["listen", file.path, "20"])
        try #require(try await listener.nextLine() == "listening")
        let ticker = try await TestProcess(["tick", file.path, "20"]).ended()
        let told = try await listener.ended()
        try #require(ticker.status == 0 && told.status == 0)
        let saves = ticker.lines.map { $0.split(separator: " ").compactMap { UInt64($0) } }
        let arrivals = told.lines.map { $0.split(separator: " ").compactMap { UInt64($0) } }
        try #require(saves.count == 20 && saves.allSatisfy { $0.count == 2 })
        return try saves.enumerated().map { index, save in
            let arrival = try #require(arrivals.first { $0[0] > index })[1]
            return arrival < save[1] ? 0 : Double(arrival - save[1]) / 1e6
        }.sorted()
    }
}
