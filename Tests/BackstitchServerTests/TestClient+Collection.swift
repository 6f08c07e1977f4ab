import BackstitchTestKit
import CloudWire
import NIOHTTP1
import Testing

@testable import BackstitchServer

extension TestClient {
    /// Has the server collect content, whose last record has gone, while the same content comes again: whoever keeps
    /// it, what a record names is there.
    func collectWhileItComes(
        _ content: [UInt8], rounds: Int, _ server: ZoneServer, _ clock: VirtualClock
    ) async throws {
        for round in 0..<rounds {
            _ = try await saveAsset("A\(round)", content)
            try await save(.forceDelete, "A\(round)")
            clock.advance(by: 16 * 60_000)
            async let collected: Void = server.cleanUp()
            async let url = saveAsset("B\(round)", content)
            try await collected
            #expect(try await send(try await url, method: .GET).body == content)
            try await save(.forceDelete, "B\(round)")
        }
    }
}
