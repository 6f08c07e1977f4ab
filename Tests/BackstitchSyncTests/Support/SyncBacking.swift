import Backstitch
import BackstitchPostgreSQL
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// The backing stores of the tests' devices. The variable `BACKSTITCH_SYNC_BACKING` selects another one for all tests.
enum SyncBacking: String, Sendable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    @TaskLocal static var current =
        ProcessInfo.processInfo.environment["BACKSTITCH_SYNC_BACKING"].flatMap(SyncBacking.init) ?? .sqlite

    /// Makes ready what devices need.
    static func prepare() async throws {
        if current == .postgreSQL { _ = try await onThread { try PostgresServer.shared.get() } }
    }

    /// The place of a device's objects. Without a name it is a separate one, in memory if possible.
    func place(of name: String?, in folder: URL) throws -> (url: URL?, options: [StoreOption: any Sendable]) {
        guard self == .postgreSQL else {
            if name != nil { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
            return (name.map { folder.appending(path: $0) }, [:])
        }
        StoreRegistry.register(PostgreSQLStore.self)
        let own = "\(folder.lastPathComponent)-\(name ?? ObjectIDGenerator().next().uuidString)"
        let options: [StoreOption: any Sendable] = [
            .backingStoreType: "PostgreSQL", .postgresSchema: String(own.lowercased().suffix(60)),
            .postgresPoolSize: 3,
        ]
        return (try PostgresServer.shared.get().url, options)
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of a store's files, and of other processes that share them.
    static var onFiles: Self { .enabled(if: SyncBacking.current == .sqlite, "objects are kept in no files") }
}
