import BackstitchSQL
import BackstitchSQLite
import Foundation
import Logging
import TestSupport

@testable import BackstitchServer

extension StatementRecorder {
    /// Runs `body` with a new storage whose statements are recorded.
    static func withStorage(
        _ kind: StorageKind, _ body: (ZoneStorage, StatementRecorder) async throws -> Void
    ) async throws {
        let recorder = StatementRecorder()
        try await kind.withPlace { place in
            let source = try source(place) { recorder.wrap($0) }
            var configuration = ZoneServerConfiguration(port: 0, storage: .database(source))
            configuration.logger.logLevel = .critical
            let storage = try ZoneStorage.open(configuration)
            do { try await body(storage, recorder) } catch {
                try await storage.close()
                throw error
            }
            try await storage.close()
        }
    }

    /// Runs `body` with a server on a new storage whose statements and transactions are recorded.
    static func withServer(
        _ kind: StorageKind, _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (TestClient, ZoneServer, StatementRecorder) async throws -> Void
    ) async throws {
        let recorder = StatementRecorder()
        try await kind.withPlace { place in
            let source = try source(place) { recorder.wrap($0) }
            try await BackstitchServerTests.withServer({
                $0.storage = .database(source, assets: place.folder)
                change(&$0)
            }) { client, server in try await body(client, server, recorder) }
        }
    }

    private static func source(
        _ place: ZoneServerConfiguration.Storage, _ wrap: @escaping @Sendable (any SQLDatabase) -> any SQLDatabase
    ) throws -> DatabaseSource {
        switch place {
        case .directory(let folder):
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "zones.sqlite").path
            return DatabaseSource(path) { wrap(try SQLiteTables.open(path, applicationID: 1)) }
        case .database(let source, _): return DatabaseSource(source.name) { wrap(try source.open()) }
        case .memory: throw TestFailure("no place")
        }
    }

    /// A database that reports its statements here.
    private func wrap(_ database: some SQLDatabase) -> any SQLDatabase { RecordingDatabase(database, self) }
}

extension ZoneServerConfiguration.Storage {
    /// The folder for the content of assets, or of everything.
    fileprivate var folder: URL? {
        switch self {
        case .directory(let folder): folder
        case .database(_, let assets): assets
        case .memory: nil
        }
    }
}
