import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// The power is cut under a program that has a disk of ours: see `PowerCutProbe`.
///
/// `BACKSTITCH_CUTS` asks for more than a few: `make powercuts CUTS=500`.
@Suite("Power cuts", .serialized)
struct PowerCutTests {
    private static let cuts = Effort.size("CUTS", usual: 15, whole: 100)

    @Test("under FULL a store loses nothing that was acknowledged: rows, history, outbox, sync state, assets")
    func full() throws { try cut("full") }

    @Test("under NORMAL a store holds whole transactions up to some moment, and the assets that they name")
    func normal() throws { try cut("normal") }

    @Test("a server loses nothing that it has acknowledged")
    func server() throws { try cut("server") }

    private func cut(_ scenario: String) throws {
        let seed = SeededGenerator.seed()
        let probe = try TestProcess([scenario, "\(Self.cuts)", "\(seed)"], of: "PowerCutProbe").finish()
        let summary = probe.lines.last.map(String.init) ?? "nothing"
        print("counted: power cuts, \(scenario), from seed \(seed): \(summary)")
        #expect(probe.status == 0, "\(probe.output)")
        if summary == "not possible here" { return }
        // The scenario works if some commits were acknowledged and some cuts happened.
        let counts = summary.split(separator: " ").compactMap { Int($0) }
        #expect(counts.count == 4 && counts[0] >= Self.cuts && counts[1] > Self.cuts, "\(summary)")
    }
}
