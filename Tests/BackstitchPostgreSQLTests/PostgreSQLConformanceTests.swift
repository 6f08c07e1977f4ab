import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import Foundation
import Testing

@Suite("PostgreSQL behaves as the kit says")
struct PostgreSQLConformanceTests {
    /// PostgreSQL stores no U+0000, which this case has in a text; `ValueTests` have all else of it.
    private static let excepted = "values of every type come back bit for bit"

    private static let store = StoreUnderTest("PostgreSQL") { folder in
        // The folder is the case's own, so its name is a schema of its own.
        let schema = folder.lastPathComponent.lowercased()
        return (try? TestDatabase.description(schema: schema)) ?? PersistentStoreDescription(type: .postgreSQL)
    }

    @Test("conforms", arguments: StoreConformance.cases.filter { $0.name != excepted })
    func conforms(_ conformanceCase: ConformanceCase) async throws {
        StoreRegistry.register(PostgreSQLStore.self)
        try await conformanceCase.run(on: Self.store)
    }

    @Test("the case that is left out is there, and fails for its U+0000 only")
    func exception() async throws {
        StoreRegistry.register(PostgreSQLStore.self)
        let left = StoreConformance.cases.filter { $0.name == Self.excepted }
        #expect(left.count == 1)
        let error = await #expect(throws: BackstitchError.self) { try await left.first?.run(on: Self.store) }
        #expect(error?.code == .invalidValue)
        #expect(error?.key == "string")
        #expect(error?.message.contains("U+0000") == true)
    }
}
