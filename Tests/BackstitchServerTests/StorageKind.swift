import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import Foundation
import Logging
import TestSupport

@testable import BackstitchServer

/// The databases of a storage: its tests hold on each.
enum StorageKind: String, CaseIterable, Sendable {
    case directory
    case postgreSQL

    /// Runs `body` with a storage in a place of its own.
    func withPlace<Value>(
        _ body: (ZoneServerConfiguration.Storage) async throws -> Value
    ) async throws -> Value {
        try await withFolder { folder in
            switch self {
            case .directory: return try await body(.directory(folder))
            case .postgreSQL:
                let source = try Self.source(schema: "zones_\(UUID().uuidString.lowercased())")
                return try await body(.database(source, assets: folder))
            }
        }
    }

    /// A schema in the tests' PostgreSQL: the one of `BACKSTITCH_TEST_POSTGRES`, or one started for the tests.
    static func source(schema: String) throws -> DatabaseSource {
        try .postgreSQL(url, options: [.postgresSchema: schema])
    }

    /// The tests' PostgreSQL.
    static var url: URL {
        get throws {
            let named = ProcessInfo.processInfo.environment["BACKSTITCH_TEST_POSTGRES"].flatMap { URL(string: $0) }
            return try named ?? PostgresServer.shared.get().url
        }
    }

    /// Runs `body` with a new storage.
    func withStorage<Value>(_ body: (ZoneStorage) async throws -> Value) async throws -> Value {
        try await withPlace { place in
            var configuration = ZoneServerConfiguration(port: 0, storage: place)
            configuration.logger.logLevel = .critical
            let storage = try ZoneStorage.open(configuration)
            let result: Value
            do { result = try await body(storage) } catch {
                try await storage.close()
                throw error
            }
            try await storage.close()
            return result
        }
    }
}

/// Runs a server on a new storage for the time of `body`.
func withServer<Value>(
    on kind: StorageKind, _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
    _ body: (TestClient, ZoneServer) async throws -> Value
) async throws -> Value {
    try await kind.withPlace { place in
        try await withServer(
            {
                $0.storage = place
                change(&$0)
            }, body)
    }
}
