import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("more assets than a server lets a user send at a time")
struct AssetThrottleTests {
    @Test("one sync sends all of them, each once, and one sync of another device gets all of them")
    func waits() async throws {
        try await Scenario.run(configure: { $0.userQuotas.requestsPerSecond = 20 }) { s in
            let (a, b) = try s.pair()
            try await a.edit { context in
                for number in 0..<500 {
                    let note = TestNote(context: context)
                    note.rank = number
                    note.photo = Data("photo \(number)".utf8)
                }
            }
            await s.faults.clear()
            let sent = try await a.sync.sync()
            #expect(sent.sent == 500 && sent.blocked.isEmpty)
            let requests = await s.faults.requests
            // Those that came too fast were answered before anything else was looked at, faults included.
            #expect(requests.count { $0 == "records/modify" } == 1, "\(requests.count)")
            let received = try await b.sync.sync()
            #expect(received.inserted.count == 500 && received.missingAssets == 0)
            #expect(
                try await b.sync.assets.states(of: "Note").allSatisfy {
                    if case .local = $0.state { true } else { false }
                })
        }
    }
}
