import BackstitchSupport
import CloudWire
import Hummingbird
import TestSupport
import Testing

@testable import BackstitchServer

/// The removal of content that its store does not let go.
@Suite struct AssetRemovalTests {
    /// A store full of content without rows. It refuses to remove some of it.
    private struct RefusingStore: AssetContentStore {
        let names: [AssetName]
        let refused: Set<AssetName>
        let removed = Locked<Set<AssetName>>([])

        func place(of name: AssetName) -> String { name.path }

        func adopt(_ received: ReceivedFile, as name: AssetName) async throws {}

        func has(_ name: AssetName) async throws -> Bool { true }

        func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody? { nil }

        func remove(_ names: [AssetName]) async throws {
            removed.withLock { $0.formUnion(Set(names).subtracting(refused)) }
            if !refused.isDisjoint(with: names) { throw AssetStoreFailure(description: "refused", mayPass: false) }
        }

        func beginsSweep(at time: Int64) -> Bool { true }

        func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws { try await body(names) }
    }

    @Test("what a store refuses to remove keeps no other content that a crash has left")
    func refused() async throws {
        try await withServer { _, server in
            let names = (0..<100).map { AssetName(tenantID: 1, checksum: AssetChecksum(contentOf: [UInt8($0)])) }
            let store = RefusingStore(names: names, refused: [names[0], names[50]])
            let service = ZoneService(
                storage: try server.working.context.storage, assets: store, configuration: server.configuration)
            try await service.assets.collect()
            #expect(store.removed.withLock { $0 } == Set(names).subtracting(store.refused))
        }
    }
}
