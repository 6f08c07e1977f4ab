import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import Foundation
import Testing

extension StoreConformance {
    /// PostgreSQL stores no U+0000, which these cases have in a text; `ValueTests` have all else of them.
    static let exceptedByPostgreSQL = [
        "values of every type come back bit for bit", "values of every type are there when the store is opened again",
    ]

    /// The others.
    static let casesOfPostgreSQL = cases.filter { !exceptedByPostgreSQL.contains($0.name) }
}

@Suite("PostgreSQL behaves as the kit says")
struct PostgreSQLConformanceTests {
    static let store = StoreUnderTest("PostgreSQL") { folder in
        // The folder is the case's own, so its name is a schema of its own.
        let schema = folder.lastPathComponent.lowercased()
        return (try? TestDatabase.description(schema: schema)) ?? PersistentStoreDescription(type: .postgreSQL)
    }

    @Test("conforms", arguments: StoreConformance.casesOfPostgreSQL)
    func conforms(_ conformanceCase: ConformanceCase) async throws {
        StoreRegistry.register(PostgreSQLStore.self)
        try await conformanceCase.run(on: Self.store)
    }

    @Test(
        "each case that is left out is there, and fails for its U+0000 only",
        arguments: StoreConformance.exceptedByPostgreSQL)
    func exception(_ name: String) async throws {
        StoreRegistry.register(PostgreSQLStore.self)
        let left = StoreConformance.cases.filter { $0.name == name }
        #expect(left.count == 1)
        let error = await #expect(throws: BackstitchError.self) { try await left.first?.run(on: Self.store) }
        #expect(error?.code == .invalidValue)
        #expect(error?.key == "string")
        #expect(error?.message.contains("U+0000") == true)
    }
}
