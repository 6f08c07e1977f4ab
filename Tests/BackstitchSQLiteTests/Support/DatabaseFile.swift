import Foundation
import GRDB

/// A look at a database's file from outside, and at what lies beside it.
struct DatabaseFile {
    let url: URL

    /// Runs SQL on the file, through a connection of its own, as another program would.
    func execute(_ statements: String...) throws {
        let queue = try DatabaseQueue(path: url.path)
        for statement in statements { try queue.writeWithoutTransaction { try $0.execute(sql: statement) } }
        try queue.close()
    }

    func strings(_ query: String) throws -> [String] {
        let queue = try DatabaseQueue(path: url.path)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: query) }
    }

    func int(_ query: String) throws -> Int? {
        let queue = try DatabaseQueue(path: url.path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: query) }
    }

    /// Names and bytes of all files in the folder.
    func folderContents() throws -> [String: Data] {
        let folder = url.deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, (try? Data(contentsOf: folder.appending(path: $0))) ?? Data()) })
    }

    /// SQLite's own check of the file.
    func integrity() throws -> [String] { try strings("PRAGMA integrity_check") }
}
