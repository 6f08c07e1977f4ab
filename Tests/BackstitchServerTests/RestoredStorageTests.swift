import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import GRDB
import Logging
import Testing

@testable import BackstitchServer

/// Storages in whose place an earlier state of them was put.
@Suite struct RestoredStorageTests {
    enum Restored: CaseIterable {
        /// The database alone, from beside its witness.
        case database
        /// The database, into a new folder.
        case databaseElsewhere
        /// Everything, as by a snapshot of the disk. Then an administrator must report the restoration.
        case wholeFolder
    }

    private func copy(_ source: URL, _ target: URL, _ what: Restored) throws {
        let manager = FileManager.default
        if what == .wholeFolder {
            try? manager.removeItem(at: target)
            return try manager.copyItem(at: source, to: target)
        }
        if what == .databaseElsewhere { try manager.removeItem(at: target) }
        try manager.createDirectory(at: target, withIntermediateDirectories: true)
        for name in ["zones.sqlite", "zones.sqlite-wal", "zones.sqlite-shm"] {
            try? manager.removeItem(at: target.appending(path: name))
        }
        try manager.copyItem(at: source.appending(path: "zones.sqlite"), to: target.appending(path: "zones.sqlite"))
    }

    @Test(
        "a restored storage honours no token and no tag of the history that it has lost", arguments: Restored.allCases)
    func otherHistory(_ what: Restored) async throws {
        try await withFolder { parent in
            let folder = parent.appending(path: "served"), backup = parent.appending(path: "backup")
            let made = Locked<(kept: WireRecord, lost: WireRecord, token: String?, history: String?)?>(nil)
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                let kept = try await client.save("kept")
                made.withLock { $0 = (kept, kept, nil, nil) }
            }
            try FileManager.default.copyItem(at: folder, to: backup)
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                let kept = try #require(made.withLock { $0 }).kept
                let page = try await client.page()
                #expect(page.records == [kept])
                let lost = try await client.save("r1", ["n": .int64(1)])
                let token = try await client.page().syncToken
                made.withLock { $0 = (kept, lost, token, page.history) }
            }
            try copy(backup, folder, what)
            let (kept, lost, token, history) = try #require(made.withLock { $0 })
            try await withServer({
                $0.storage = .directory(folder)
                $0.isRestored = what == .wholeFolder
            }) { plain, _ in
                let client = plain.extended()
                let other = try await client.save("r1", ["n": .int64(2)])
                #expect(other.recordChangeTag != lost.recordChangeTag)
                let error = await expectFailure(.badRequest) { try await client.page(token) }
                #expect(error?.reason == WireError.expiredTokenReason)
                let update = try await client.modify([
                    operation(.update, "r1", tag: lost.recordChangeTag, ["n": .int64(3)])
                ])
                #expect(update[0].error?.code == .conflict)
                let page = try await client.page()
                #expect(page.history != nil && page.history != history)
                // The record that the backup holds is the same version still.
                #expect(page.records.contains(kept))
                let later = try #require(other.recordChangeTag.flatMap { ChangeTag($0) })
                #expect(try #require(lost.recordChangeTag.flatMap { ChangeTag($0) }) < later)
            }
            // It has not gone back again.
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let page = try await plain.extended().page()
                #expect(page.records.count == 2)
                #expect(page.history != nil && page.history != history)
            }
        }
    }

    @Test("a storage that is closed and opened, or whose server dies, goes on in its history")
    func sameHistory() async throws {
        try await withFolder { folder in
            let histories = Locked<[String?]>([])
            for round in 0..<3 {
                try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                    let client = plain.extended()
                    if round == 0 { try await client.makeZone() }
                    try await client.save("r\(round)")
                    let history = try await client.page().history
                    histories.withLock { $0.append(history) }
                }
                // As after a death: what the witness knows may be older than the database.
                if round == 1 {
                    let witness = try StorageWitness(directory: folder, logger: .init(label: "test"))
                    let life = try #require(try witness.read())
                    for _ in 0..<2 { try witness.write(StorageLife(history: life.history, commits: life.commits - 1)) }
                    witness.close()
                }
            }
            #expect(Set(histories.withLock { $0 }).count == 1)
        }
    }

    @Test("a slot of the witness that was torn leaves the other one")
    func tornSlot() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for torn in 0...1 {
                let witness = try StorageWitness(directory: folder, logger: .init(label: "test"))
                for commits in [5, 6] as [Int64] { try witness.write(StorageLife(history: 9, commits: commits)) }
                witness.close()
                let file = folder.appending(path: "zones.witness")
                var bytes = try Data(contentsOf: file)
                bytes[torn * 4096 + 15] ^= 1
                try bytes.write(to: file)
                let left = try StorageWitness(directory: folder, logger: .init(label: "test"))
                let commits = try #require(try left.read()).commits
                #expect([5, 6].contains(commits))
                left.close()
            }
        }
    }

    @Test("a storage from before histories opens with its tags and tokens, and gives tags of the new form from then on")
    func beforeHistories() async throws {
        try await withFolder { folder in
            let token = Locked<String?>(nil)
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                try await client.modify([create("A"), create("B")])
                let page = try await client.page()
                token.withLock { $0 = page.syncToken }
            }
            let file = try DatabaseQueue(path: folder.appendingPathComponent("zones.sqlite").path)
            try await file.write { db in
                try db.execute(sql: "ALTER TABLE record DROP COLUMN history; DROP TABLE life")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'history'")
            }
            try file.close()
            try FileManager.default.removeItem(at: folder.appending(path: "zones.witness"))
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                #expect(try await client.page(token.withLock { $0 }).records.isEmpty)
                #expect(try await client.lookup(["A"])[0].record().recordChangeTag == "1")
                let new = try await client.save(.update, "A", tag: "1")
                let tag = try #require(new.recordChangeTag.flatMap { ChangeTag($0) })
                #expect(tag.history > 0 && tag.sequence == 2)
                #expect(ChangeTag(history: 0, sequence: 1) < tag)
                #expect(try await client.page(token.withLock { $0 }).records == [new])
            }
        }
    }
}
