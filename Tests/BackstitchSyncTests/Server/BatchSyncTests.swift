import Backstitch
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@Suite("batch requests and values of a synced store", .scenario)
struct BatchSyncTests: ScenarioSuite {
    @Test("batch inserts, updates and deletes travel without a save in between (T19)")
    func batches() async throws {
        let (a, b) = try s.pair()
        try await a.read { context in
            var number = 0
            try context.execute(
                BatchInsertRequest(entityName: "Note") { row in
                    guard number < 100 else { return true }
                    row["title"] = .string("note \(number)")
                    row["rank"] = .int(Int64(number))
                    number += 1
                    return false
                })
        }
        #expect(try await a.sync.sync().sent == 100)
        #expect(try await b.sync.sync().inserted.count == 100)
        try await a.read { context in
            let changed = try context.execute(
                BatchUpdateRequest(
                    entityName: "Note", where: Key<Int>("rank") < 50, set: ["title": "changed"], resultType: .count)
            )
            #expect(changed.count == 50)
            let doomed = try FetchRequest<TestNote>(where: "rank >= 90")
            let gone = try context.execute(BatchDeleteRequest(doomed, resultType: .objectIDs))
            #expect(gone.objectIDs.count == 10)
            try context.execute(
                BatchInsertRequest(entityName: "Tag", objects: [["name": "red"], ["name": "blue"]]))
        }
        // Changed twice, sent once.
        _ = try await a.read { context in
            try context.execute(
                BatchUpdateRequest(entityName: "Note", where: Key<Int>("rank") < 10, set: ["body": "twice"]))
        }
        #expect(try await a.sync.status.pendingCount == 62)
        #expect(try await a.sync.sync().sent == 62)
        let summary = try await b.sync.sync()
        #expect(summary.updated.count == 50 && summary.deleted.count == 10 && summary.inserted.count == 2)
        #expect(try await a.dump() == b.dump())
        let record = try #require(try await s.zone().record(try await id(of: 3, on: a)))
        #expect(record.value("title") == .string("changed") && record.value("body") == .string("twice"))
    }

    @Test("a batch delete carries delete rules to the other device, and an unsent insert never leaves")
    func deleteRules() async throws {
        let (a, b) = try s.pair()
        try await a.edit { context in
            for number in 0..<3 {
                let folder = TestFolder(context: context)
                folder.name = "folder \(number)"
                for _ in 0..<4 { TestNote(context: context).folder = folder }
            }
        }
        try await s.sync(a, b)
        try await a.edit { context in TestFolder(context: context).name = "folder never sent" }
        try await a.read { context in
            let doomed = try FetchRequest<TestFolder>(where: "name != 'folder 0'")
            try context.execute(BatchDeleteRequest(doomed))
        }
        // Two folders with four notes each.
        #expect(try await a.sync.sync().sent == 10)
        try await b.sync.sync()
        #expect(try await a.dump() == b.dump())
        #expect(try await b.read { try $0.count(for: FetchRequest<TestNote>()) } == 4)
    }

    @Test("values instead of objects: properties, groups and aggregates")
    func dictionaries() async throws {
        let (a, b) = try s.pair()
        try await a.edit { context in
            for number in 0..<6 {
                let note = TestNote(context: context)
                note.title = number < 4 ? "thread" : "needle"
                note.rank = number
            }
        }
        try await s.sync(a, b)
        let rows = try await b.read { context in
            try context.fetch(
                DictionaryFetchRequest(
                    entityName: "Note",
                    [.key("title"), .aggregate(.sum, "rank", as: "total"), .count(as: "number")],
                    groupBy: ["title"], sortedBy: [.ascending("title")])
            ).map { [$0["title"], $0["total"], $0["number"]] }
        }
        #expect(rows == [["needle", 9, 2], ["thread", 6, 4]])
    }

    @Test("the order of ordered relationships travels, one to many and many to many")
    func order() async throws {
        let (a, b) = try s.pair(model: Self.albums)
        let id = try await a.edit { context in
            let album = try context.insertObject(entityName: "Album")
            for title in ["one", "two", "three"] {
                let track = try context.insertObject(entityName: "Track")
                try track.setValue(.string(title), forKey: "title")
                try album.add(track, to: "tracks")
                try album.add(track, to: "favourites")
            }
            return album.objectID
        }
        try await s.sync(a, b)
        #expect(try await titles("tracks", of: id, on: b) == ["one", "two", "three"])
        try await b.edit { context in
            let album = try context.existingObject(with: id)
            try album.moveObject(in: "tracks", from: 2, to: 0)
            try album.moveObject(in: "favourites", from: 0, to: 2)
        }
        try await s.sync(b, a)
        for device in [a, b] {
            #expect(try await titles("tracks", of: id, on: device) == ["three", "one", "two"])
            #expect(try await titles("favourites", of: id, on: device) == ["two", "three", "one"])
        }
    }

    private static let albums = ManagedObjectModel([
        EntityDescription(
            "Album",
            [
                .toMany("tracks", "Track", inverse: "album", ordered: true),
                .toMany("favourites", "Track", inverse: "favouriteOf", ordered: true),
            ]),
        EntityDescription(
            "Track",
            [
                .attribute("title", .string), .toOne("album", "Album", inverse: "tracks"),
                .toMany("favouriteOf", "Album", inverse: "favourites"),
            ]),
    ])

    private func titles(_ key: String, of id: ObjectID, on device: SyncDevice) async throws -> [String] {
        try await device.read { context in
            try context.existingObject(with: id).objects(forKey: key).map { $0["title"] }
        }
    }

    private func id(of rank: Int, on device: SyncDevice) async throws -> ObjectID {
        try await device.read { context in
            try #require(try context.fetchObjectIDs(FetchRequest<TestNote>(where: "rank == %d", rank)).first)
        }
    }
}
