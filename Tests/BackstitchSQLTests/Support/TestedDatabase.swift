import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport

@testable import BackstitchPostgreSQL
@testable import BackstitchSQLite

/// A database for suites of this target: they run every test of SQL stores on each.
struct TestedDatabase: Sendable, CustomStringConvertible {
    let description: String
    let dialect: any SQLDialect
    private let type: any JournalingStore.Type
    private let place: @Sendable () throws -> PersistentStoreDescription

    /// A new store, with nothing in it.
    func open(_ model: ManagedObjectModel) throws -> any JournalingStore {
        let place = try place()
        let options = try StoreOptions(
            place.options, specifications: type.optionSpecifications(for: place.options))
        return try type.init(StoreConfiguration(model: ResolvedModel(model), url: place.url, options: options))
    }

    /// A container on a new store.
    func container(_ model: ManagedObjectModel) throws -> PersistentContainer {
        StoreRegistry.register(type)
        return try PersistentContainer(model: model, store: place())
    }

    static let all = [
        TestedDatabase(description: "SQLite", dialect: SQLiteDialect(), type: SQLiteStore.self) {
            PersistentStoreDescription(type: .sqlite)
        },
        TestedDatabase(description: "PostgreSQL", dialect: PostgreSQLDialect(), type: PostgreSQLStore.self) {
            let given = ProcessInfo.processInfo.environment["BACKSTITCH_TEST_POSTGRES"].flatMap(URL.init(string:))
            return PersistentStoreDescription(
                type: .postgreSQL, url: try given ?? PostgresServer.shared.get().url,
                options: [.postgresSchema: "test_\(UUID().uuidString.lowercased())", .postgresPoolSize: 4])
        },
    ]
}
