import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("whatever contexts do, their books stay in order")
struct RandomOperationTests {
    private static let count = UInt64(Effort.size("WALKS", usual: 400, whole: 4_000))
    private static let parts: UInt64 = 4

    @Test("random walks of three contexts over one store", arguments: 0..<parts)
    func walks(part: UInt64) async throws {
        let store = StoreUnderTest("SQLite in memory", isDurable: false) { _ in
            PersistentStoreDescription(type: .sqlite)
        }
        if let seed = Effort.seed {
            if part == 0 { try await RandomOperations.run(seed: seed, on: store) }
            return
        }
        let seeds = part * Self.count / Self.parts..<(part + 1) * Self.count / Self.parts
        for seed in seeds { try await RandomOperations.run(seed: seed, on: store) }
        print("counted: \(seeds.count) random walks of 40 steps, seeds \(seeds)")
    }
}
