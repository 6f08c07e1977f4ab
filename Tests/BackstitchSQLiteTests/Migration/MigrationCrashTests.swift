import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import GRDB
import TestSupport
import Testing

@testable import BackstitchSQLite

@Suite("Processes that die while they migrate")
struct MigrationCrashTests {
    @Test("killed at any moment, the store is of the old model or of the new one, whole")
    func killed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appending(path: "original.sqlite")
        #expect(try TestProcess(["make", original.path]).finish().status == 0)
        let seed = SeededGenerator.seed()
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var outcomes: [String: Int] = [:]
        for round in 0..<24 {
            let file = folder.appending(path: "\(round).sqlite")
            try FileManager.default.copyItem(at: original, to: file)
            _ = try TestProcess(["migrate", file.path, "\(random.next() % 300_000)"]).finish()
            let state = try state(of: file)
            outcomes[state, default: 0] += 1
            // The next process ends what the first began.
            #expect(try TestProcess(["migrate", file.path]).finish().status == 0)
            #expect(try self.state(of: file) == "new")
        }
        print("outcomes \(outcomes)")
        #expect(Set(outcomes.keys).isSubset(of: ["old", "new"]))
    }

    /// The model of the file's tables. Both the tables and the values must match the model named in the file.
    private func state(of file: URL) throws -> String {
        let queue = try DatabaseQueue(path: file.path)
        defer { try? queue.close() }
        return try queue.read { database in
            let model =
                try String.fetchOne(database, sql: "SELECT value FROM backstitch_store WHERE name = 'model'") ?? ""
            let tables = try Set(
                String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'backstitch%'"
                ))
            let isOld = !model.contains("\"Memo\"")
            let query =
                isOld
                ? "SELECT count(*), sum(number), count(draft), count(DISTINCT folder) FROM Note"
                : "SELECT count(*), sum(number), sum(stars) / 3, (SELECT count(DISTINCT source) FROM \"Folder.memos\") FROM Memo"
            let row = try #require(try Row.fetchOne(database, sql: query))
            let count = MigrationCrashTests.rowCount
            let expected: [Int] = [count, count * (count - 1) / 2, count, 1]
            let found: [Int] = (0..<4).map { row[$0] }
            let names: Set<String> = isOld ? ["Note", "Folder"] : ["Memo", "Folder", "Folder.memos"]
            let check = try String.fetchOne(database, sql: "PRAGMA integrity_check")
            let photos = try isOld ? photosInRows(database) : photosOutside(database, file)
            let isWhole = tables == names && found == expected && check == "ok" && photos == Self.photoCount
            return isWhole ? (isOld ? "old" : "new") : "broken: \(tables) \(row), \(photos) photos"
        }
    }

    private func photosInRows(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(DISTINCT photo) FROM Note") ?? 0
    }

    /// The photos that rows name, as far as their bytes are on the disk.
    private func photosOutside(_ database: Database, _ file: URL) throws -> Int {
        let owner = try String.fetchOne(database, sql: "SELECT value FROM backstitch_store WHERE name = 'identifier'")
        let assets = try AssetDirectory(
            SQLiteFile(file).assets, of: owner.flatMap { UUID(uuidString: $0) }, isReadOnly: true)
        return try String.fetchSet(database, sql: "SELECT photo FROM Memo WHERE photo IS NOT NULL")
            .compactMap { AssetReference(text: $0) }.filter { try assets.read($0) != nil }.count
    }

    private static let rowCount = 4_000
    private static let photoCount = 200
}
