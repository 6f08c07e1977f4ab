import Backstitch
import BackstitchPostgreSQL
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a synced store that is opened as a plain one")
struct PlainOpeningTests {
    @Test("edits that a program makes without sync are sent when the store is synced again")
    func sent() async throws {
        try await SyncWorld.run { world in
            let a = try world.device("a"), b = try world.device()
            let kept = try await a.addNote("kept"), gone = try await a.addNote("gone")
            try await a.sync.sync()
            let plain = try world.plainDescription(of: "a")
            try a.close()
            let container = try PersistentContainer(model: SyncTestModel.description, store: plain)
            try await container.perform { context in
                (try context.existingObject(with: kept) as? TestNote)?.title = "edited"
                context.delete(try context.existingObject(with: gone))
                TestNote(context: context).title = "new"
                try context.save()
                try context.execute(BatchInsertRequest(entityName: "Note", objects: [["title": "batch"]]))
            }
            try container.close()
            let again = try world.device("a")
            #expect(try await again.sync.status.pendingCount == 4)
            try await again.sync.syncFromScratch()
            try await b.sync.sync()
            let titles = try await b.titles()
            #expect(titles == ["batch", "edited", "new"])
            #expect(try await again.dump() == b.dump())
        }
    }

    @Test("edits that a program makes in a store that was plain when it opened it, and is synced meanwhile, are sent")
    func syncedMeanwhile() async throws {
        try await SyncWorld.run { world in
            let description = try world.plainDescription(of: "a")
            if let folder = description.url, folder.isFileURL {
                try FileManager.default.createDirectory(
                    at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            let plain = try PersistentContainer(model: SyncTestModel.description, store: description)
            let early = try await plain.perform { context in
                let note = TestNote(context: context)
                note.title = "early"
                try context.save()
                return note.objectID
            }
            let a = try world.device("a"), b = try world.device()
            try await a.sync.sync()
            try await plain.perform { context in
                (try context.existingObject(with: early) as? TestNote)?.title = "edited"
                try context.save()
                try context.execute(BatchInsertRequest(entityName: "Note", objects: [["title": "batch"]]))
            }
            #expect(try await a.sync.status.pendingCount == 2)
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.titles() == ["batch", "edited"])
            try plain.close()
        }
    }

    @Test("a batch whose rows are given once is refused before it asks for them, or sent")
    func streamMeanwhile() async throws {
        try await SyncWorld.run { world in
            let description = try world.plainDescription(of: "a")
            if let folder = description.url, folder.isFileURL {
                try FileManager.default.createDirectory(
                    at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            let plain = try PersistentContainer(model: SyncTestModel.description, store: description)
            let a = try world.device("a"), b = try world.device()
            try await plain.perform { context in
                var titles = ["one", "two"].makeIterator()
                try context.execute(
                    BatchInsertRequest(entityName: "Note") { row in
                        guard let title = titles.next() else { return true }
                        row["title"] = .string(title)
                        return false
                    })
            }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.titles() == ["one", "two"])
            try plain.close()
        }
    }

    @Test("reading everything again keeps edits of which no outbox tells, and takes nothing for one that sync wrote")
    func forgotten() async throws {
        try await SyncWorld.run { world in
            let a = try world.device("a"), b = try world.device()
            let edited = try await a.addNote("edited"), gone = try await a.addNote("gone")
            let damaged = try await a.addNote("damaged"), both = try await a.addNote("both")
            _ = try await converge(a, b)
            try await a.change(edited) { note, _ in note.title = "edited without outbox" }
            try await a.change(both) { note, _ in note.title = "older" }
            try await a.delete(gone)
            try await b.change(both) { note, _ in note.title = "newer" }
            try await b.sync.sync()
            let store = try #require(a.container.coordinator.store as? SyncStore)
            let entity = try a.container.coordinator.model.requireEntity(named: "Note")
            try store.backing.writeJournal(author: SyncAuthor.name) { journal in
                try journal.removeOutbox([edited.key, gone.key, both.key])
                // As a fault of sync would leave it: an older version under the tag of the newest.
                var rows = RowBatchBuilder(entity: entity, capacity: 1)
                rows.beginRow(key: damaged.key, version: 1)
                for value in entity.defaults { rows.append(value) }
                try journal.upsert(rows.finish())
            }
            let summary = try await a.sync.syncFromScratch()
            #expect(summary.sent == 2)
            try await b.sync.sync()
            #expect(try await b.titles() == ["damaged", "edited without outbox", "newer"])
            #expect(try await a.dump() == b.dump())
        }
    }
}

extension SyncWorld {
    /// A device's store without sync.
    fileprivate func plainDescription(of name: String) throws -> PersistentStoreDescription {
        let folder = folder(of: name)
        guard SyncBacking.current == .postgreSQL else {
            return .init(type: .sqlite, url: folder.appending(path: "store.sqlite"))
        }
        let schema = "\(folder.deletingLastPathComponent().lastPathComponent)-\(name)".lowercased().suffix(60)
        return .init(
            type: .postgreSQL, url: try PostgresServer.shared.get().url, options: [.postgresSchema: String(schema)])
    }
}
