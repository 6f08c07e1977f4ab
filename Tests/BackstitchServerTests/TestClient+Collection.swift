import BackstitchTestKit
import CloudWire
import NIOHTTP1
import Testing

@testable import BackstitchServer

extension TestClient {
    /// Lets the server collect content without a record while the same content is uploaded again. Content named by a
    /// record must exist in any case.
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
