import BackstitchSQL
import BackstitchSupport
import Foundation
import TestSupport

@testable import BackstitchServer

/// All data of a storage, for tests that expect no change.
final class StoredBytes: Sendable {
    private let folder: URL?
    private let source: DatabaseSource?
    private let database = Locked<(any SQLDatabase)?>(nil)

    init(_ place: ZoneServerConfiguration.Storage) throws {
        switch place {
        case .directory(let url): (folder, source) = (url, nil)
        case .database(let source, let assets): (folder, self.source) = (assets, source)
        case .memory: throw TestFailure("nobody can look into a storage in memory")
        }
    }

    /// The bytes of its files, and the rows of its tables that are in no file.
    func all() throws -> [String: Data] {
        var result = try files()
        guard let source else { return result }
        let database = try self.database.withLock { database in
            if let database { return database }
            let opened = try source.open()
            database = opened
            return opened
        }
        try Self.read(database) { transaction in
            let tables = try transaction.all(
                "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()"
            ) { $0.text(0) }
            guard tables.count > 10 else { throw TestFailure("these are not the tables of a server: \(tables)") }
            for table in tables {
                let rows = try transaction.all("SELECT r::text FROM \(names: table) AS r") { $0.text(0) }
                result["table \(table)"] = Data(rows.sorted().joined(separator: "\n").utf8)
            }
        }
        return result
    }

    func close() throws {
        try database.withLock { database in
            try database?.close()
            database = nil
        }
    }

    private static func read<Database: SQLDatabase>(
        _ database: Database, _ body: (ZoneTransaction) throws -> Void
    ) throws {
        try database.transact { try body(ZoneTransaction($0)) }
    }

    private func files() throws -> [String: Data] {
        guard let folder else { return [:] }
        var result: [String: Data] = [:]
        // The witness is written a little after its commit.
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where !name.hasSuffix("-shm") && name != "zones.witness" {
            var isFolder = ObjCBool(false)
            let file = folder.appendingPathComponent(name)
            _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
            result[name] = isFolder.boolValue ? Data() : try Data(contentsOf: file)
        }
        return result
    }
}
