import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

/// Records of nearly a megabyte each. Reading some of them must cost only memory for the answer, not for all rows found
/// by the database.
@Suite("large records in PostgreSQL") struct LargeRecordTests {
    private static let count = 100

    @Test("pages and look-ups of 90 MB of records cost the server the memory of their answers")
    func memory() async throws {
        try await withFolder { folder in
            let postgres = try await onThread { try PostgresServer() }
            defer { postgres.stop() }
            let (database, assets) = (postgres.url, folder.appending(path: "assets"))
            let server = try await onThread { try ServerProcess(database: database, assets: assets) }
            defer { server.process.kill() }
            let client = TestClient(base: server.url)
            try await client.makeZone()
            let names = (0..<Self.count).map { "large \($0)" }
            let text = String(repeating: "x", count: 900_000)
            for name in names { try await client.save(name, ["t": .string(text)]) }
            try await client.save("small", ["t": .string("x")])
            let before = try server.process.memory()

            // Six at once: their costs add up.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let page = try await client.page()
                        #expect(page.moreComing && !page.records.isEmpty)
                        #expect(page.records.allSatisfy { $0.fields["t"] == .string(text) })
                    }
                    group.addTask { await #expect(throws: WireError.self) { try await client.lookup(names) } }
                }
                try await group.waitForAll()
            }
            let growth = try server.process.memory() - before
            print("counted: pages and look-ups of 90 MB of records, memory grew by \(growth >> 20) MB")
            #expect(growth <= 100 << 20)
            // All of them come in the end, each as it was.
            let found = try await client.follow().records
            #expect(found.map(\.recordName) == names + ["small"])
            #expect(found.dropLast().allSatisfy { $0.fields["t"] == .string(text) })
        }
    }
}
