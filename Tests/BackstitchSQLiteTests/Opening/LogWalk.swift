import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import GRDB
import Testing

@testable import BackstitchSQLite

/// A store with a small log, at which random things happen, and copies of its file at random times.
final class LogWalk {
    /// The other writers of the file.
    enum Others: CaseIterable {
        case none
        /// Another store, as another process would.
        case store
        /// Programs that use SQLite itself. They begin logs without a mark.
        case programs
    }

    private struct Copy {
        let file: Data
        /// The log that was beside the file.
        let log: String?
        /// Whether the file alone is a valid database. It is not if a reader has kept some pages in the log.
        let isWhole: Bool
    }

    private let fixture: StoreFixture
    private let entity: ResolvedEntity
    private let place: LogPlace
    private let others: Others
    private var store: SQLiteStore
    private var second: SQLiteStore?
    private var reader: (any StoreSnapshot)?
    private var copies: [Copy] = []

    init(_ others: Others) throws {
        self.others = others
        fixture = try StoreFixture()
        entity = try fixture.entity("Author")
        place = LogPlace(fixture)
        store = try fixture.open()
        try shorten(store)
    }

    private var logName: String? { SQLiteFile(path: fixture.file.path).logName }

    func step(_ random: inout SeededGenerator) throws {
        switch random.next() % 16 {
        case 0, 1: copies.append(try copy(of: fixture.file))
        case 2: try backUp()
        case 3: reader = try store.makeSnapshot()
        case 4, 5: reader = nil
        case 6: try reopen()
        case 7: try crash()
        case 8: try add(count: 40, length: 4_000, to: store)
        case 9: try store.makeDurable()
        case 10, 11, 12: try act(&random)
        default: try add(count: 1 + Int(random.next() % 3), length: 20, to: store)
        }
    }

    func end() throws {
        reader = nil
        try second?.close()
        second = nil
        try store.close()
    }

    /// Puts each copy of the file beside the present log. A file that was beside this log must be taken.
    func check(_ moment: String) throws -> (refused: Int, taken: Int) {
        guard let log = try? Data(contentsOf: LogPlace.log(of: fixture.file)), let logName else { return (0, 0) }
        let wanted = Set(try store.all(entity).keys)
        var counts = (refused: 0, taken: 0)
        for copy in [try self.copy(of: fixture.file)] + copies {
            let isOwn = copy.log == logName
            // A log without a mark may be taken wrongly.
            if !isOwn, others == .programs || !copy.isWhole { continue }
            let comment: Comment = "\(moment): log \(logName), copy beside \(copy.log ?? "no log")"
            try place.write(file: copy.file, log: log)
            do {
                let opened = try fixture.open(at: place.file)
                #expect(Set(try opened.all(entity).keys) == wanted, comment)
                try opened.close()
                #expect(try DatabaseFile(url: place.file).integrity() == ["ok"], comment)
                counts.taken += 1
            } catch let error as BackstitchError {
                #expect(!isOwn && error.code == .storeMoved, "\(comment): \(error)")
                #expect(try place.contents() == [copy.file, log], comment)
                counts.refused += 1
            }
        }
        return counts
    }
}

extension LogWalk {
    /// Lets SQLite move the log into the file after few pages.
    private func shorten(_ store: SQLiteStore) throws {
        try store.database.connections.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
    }

    private func copy(of file: URL) throws -> Copy {
        let data = try Data(contentsOf: file), alone = fixture.folder.appending(path: "alone.sqlite")
        try data.write(to: alone)
        let isWhole = (try? DatabaseFile(url: alone).integrity()) == ["ok"]
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: alone.path + end) }
        return Copy(file: data, log: logName, isWhole: isWhole)
    }

    private func add(count: Int, length: Int, to store: SQLiteStore) throws {
        try store.save { request in
            request.inserts = try (0..<count).map { _ in
                try fixture.rows(
                    "Author", fixture.generator.next(), ["name": .string(String(repeating: "x", count: length))])
            }
        }
    }

    private func backUp() throws {
        let path = fixture.folder.appending(path: "backup.sqlite").path
        try store.database.backUp(to: path)
        copies.append(try copy(of: URL(filePath: path)))
        try FileManager.default.removeItem(atPath: path)
    }

    private func reopen() throws {
        reader = nil
        try store.close()
        store = try fixture.open()
        try shorten(store)
    }

    /// Goes on with the files that the store would leave if its process died now.
    private func crash() throws {
        let file = try Data(contentsOf: fixture.file), log = try? Data(contentsOf: LogPlace.log(of: fixture.file))
        try end()
        try file.write(to: fixture.file)
        try log?.write(to: LogPlace.log(of: fixture.file))
        store = try fixture.open()
        try shorten(store)
    }

    private func act(_ random: inout SeededGenerator) throws {
        switch others {
        case .none: try add(count: 10, length: 1_000, to: store)
        case .store: try actAsStore(&random)
        case .programs: try actAsProgram(&random)
        }
    }

    private func actAsStore(_ random: inout SeededGenerator) throws {
        guard let second else {
            second = try fixture.open()
            return try shorten(second ?? store)
        }
        if random.next() % 4 == 0 {
            try second.close()
            self.second = nil
        } else {
            try add(count: 1 + Int(random.next() % 12), length: 1_000, to: second)
        }
    }

    private func actAsProgram(_ random: inout SeededGenerator) throws {
        let file = DatabaseFile(url: fixture.file)
        switch random.next() % 8 {
        case 0: try file.execute("VACUUM")
        case 1: try file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        case 2: try file.execute("PRAGMA wal_checkpoint(RESTART)")
        case 3: try restore(&random)
        case 4:
            // No other connection may be open.
            try end()
            try file.execute("PRAGMA journal_mode = DELETE", "CREATE TABLE IF NOT EXISTS notes (text)")
            store = try fixture.open()
            try shorten(store)
        default:
            try file.execute(
                "CREATE TABLE IF NOT EXISTS notes (text)",
                "INSERT INTO notes VALUES (randomblob(\(1 + random.next() % 200_000)))")
        }
    }

    /// Writes an earlier state into the file, by SQLite's own means.
    private func restore(_ random: inout SeededGenerator) throws {
        guard let copy = copies.filter(\.isWhole).randomElement(using: &random) else { return }
        reader = nil
        let path = fixture.folder.appending(path: "restored.sqlite").path
        try copy.file.write(to: URL(filePath: path))
        let source = try DatabaseQueue(path: path), target = try DatabaseQueue(path: fixture.file.path)
        try source.backup(to: target)
        try source.close()
        try target.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
}
