import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import Foundation
import TestSupport

/// The database that tests use, each in a schema of its own.
enum TestDatabase {
    /// Where it is: `BACKSTITCH_TEST_POSTGRES`, or the shared server.
    static func url() throws -> URL {
        if let text = ProcessInfo.processInfo.environment["BACKSTITCH_TEST_POSTGRES"], let url = URL(string: text) {
            return url
        }
        return try PostgresServer.shared.get().url
    }

    /// A name that no other test has.
    static func newSchema() -> String { "test_\(UUID().uuidString.lowercased())" }

    /// A store in a schema, on the shared server or another. Without a URL, the options give the place.
    static func description(
        schema: String, url: URL? = nil, options: [StoreOption: any Sendable] = [:]
    ) throws -> PersistentStoreDescription {
        var all: [StoreOption: any Sendable] = [.postgresSchema: schema, .postgresPoolSize: 4]
        for (option, value) in options { all[option] = value }
        let place = options[.postgresHost] == nil ? try url ?? self.url() : url
        return PersistentStoreDescription(type: .postgreSQL, url: place, options: all)
    }

    /// The container on a new store.
    static func container(
        _ model: ManagedObjectModel = .journal, schema: String? = nil, url: URL? = nil,
        options: [StoreOption: any Sendable] = [:]
    ) throws -> PersistentContainer {
        StoreRegistry.register(PostgreSQLStore.self)
        return try PersistentContainer(
            model: model, store: description(schema: schema ?? newSchema(), url: url, options: options))
    }

    /// The store alone.
    static func store(
        _ model: ManagedObjectModel = .journal, schema: String? = nil, url: URL? = nil,
        options: [StoreOption: any Sendable] = [:], keepsOutbox: Bool = false,
        changeHandler: @escaping @Sendable (StoreChanges) -> Void = { _ in }
    ) throws -> PostgreSQLStore {
        let description = try description(schema: schema ?? newSchema(), url: url, options: options)
        return try PostgreSQLStore(
            StoreConfiguration(
                model: try ResolvedModel(model), url: description.url,
                options: StoreOptions(
                    description.options, specifications: PostgreSQLStore.optionSpecifications(for: description.options)),
                keepsOutbox: keepsOutbox, changeHandler: changeHandler))
    }
}
