import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// Three processes of the server share a database. One of them is killed every two seconds, and the database crashes
/// twice. Meanwhile programs push and others follow the zones, each request at any of the three.
///
/// `BACKSTITCH_NODE_SECONDS` asks for a longer run: `make nodes SECONDS=20`.
@Suite("nodes on one database are killed", .serialized)
struct NodeKillTests {
    private static let seconds = Double(Effort.size("NODE_SECONDS", usual: 6, whole: 15))

    @Test("no acknowledged record is lost, none comes twice, and no page cuts a commit")
    func kills() async throws {
        let seed = SeededGenerator.seed()
        let storm = try await NodeStorm(seed: seed)
        defer { storm.stop() }
        let report = try await storm.live(seconds: Self.seconds)
        print("counted: nodes under kills, seed \(seed): \(report)")
        for reading in report.readings {
            #expect(reading.lost.isEmpty, "acknowledged and not read in \(reading.zone), seed \(seed)")
            #expect(reading.doubled.isEmpty, "read twice in \(reading.zone), seed \(seed)")
            #expect(reading.unknown.isEmpty, "read, and written by nobody, in \(reading.zone), seed \(seed)")
            #expect(reading.cutCommits == 0, "commits cut in \(reading.zone), seed \(seed)")
            #expect(reading.isSteady, "a new reader sees something else in \(reading.zone), seed \(seed)")
        }
        // A storm without events proves nothing.
        #expect(report.pushes >= NodeStorm.fewestPushes)
        #expect(report.kills >= Int(Self.seconds / 2) - 2)
        #expect(report.crashes == 2)
        #expect(report.repeats > 0)
    }
}
