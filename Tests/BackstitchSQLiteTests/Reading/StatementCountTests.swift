import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("How many statements fetches take")
struct StatementCountTests {
    private func container() throws -> (PersistentContainer, SQLiteStore) {
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite))
        return (container, try #require(container.coordinator.store as? SQLiteStore))
    }

    @Test("prefetching takes one statement a relationship, and reading what it loaded takes none")
    func prefetching() async throws {
        let (container, store) = try container()
        try await container.perform { context in
            let places = (0..<20).map { _ in Location(context: context) }
            let tags = (0..<50).map { _ in Tag(context: context) }
            for number in 0..<2000 {
                let entry = Entry(context: context)
                entry.location = places[number % 20]
                entry.tags = [tags[number % 50], tags[(number + 1) % 50]]
            }
            try context.save()
        }
        try await container.perform { context in
            var request = FetchRequest<Entry>()
            let plain = try Self.count(store) { _ = try context.fetch(request) }
            #expect(plain == 1)
            context.coordinator.forgetRows()
            request.relationshipKeyPathsForPrefetching = ["location.wardens", "tags.entries", "location"]
            var entries: [Entry] = []
            // The entries; locations, their wardens; tags, their entries.
            let statements = try Self.count(store) { entries = try context.fetch(request) }
            #expect(statements == 5)
            let reading = Self.count(store) {
                for entry in entries {
                    #expect(entry.tags.count == 2 && entry.location?.wardens.isEmpty == true)
                    #expect(entry.tags.first?.entries.count == 80)
                }
            }
            #expect(reading == 0)
            try context.throwIfFailed()
        }
    }

    @Test("a row that keeps the order of many links is not read once for each: it takes a statement more")
    func orderedLinks() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Playlist", [.toMany("songs", "Song", inverse: "lists", ordered: true)]),
            EntityDescription("Song", [.toMany("lists", "Playlist", inverse: "songs")]),
        ])
        let container = try PersistentContainer(model: model, store: .init(type: .sqlite))
        let store = try #require(container.coordinator.store as? SQLiteStore)
        try await container.perform { context in
            let songs = try (0..<200).map { _ in try context.insertObject(entityName: "Song") }
            try context.insertObject(entityName: "Playlist").setObjects(songs, forKey: "songs")
            try context.save()
        }
        for (limit, expected) in [(50, 2), (200, 3)] {
            try await container.perform { context in
                context.coordinator.forgetRows()
                var request = FetchRequest<ManagedObject>(entityName: "Song")
                request.limit = limit
                request.relationshipKeyPathsForPrefetching = ["lists"]
                var songs: [ManagedObject] = []
                let statements = try Self.count(store) { songs = try context.fetch(request) }
                // The songs and the links with their rows, or the links first.
                #expect(statements == expected)
                let lists = try Set(songs.map { try $0.objects(forKey: "lists").map(\.objectID) })
                #expect(lists.count == 1 && lists.first?.count == 1)
            }
        }
    }

    @Test("a page of batches takes one statement, and one that is there none")
    func pages() async throws {
        let (container, store) = try container()
        try await container.perform { context in
            for number in 0..<1000 { Entry(context: context).count = number }
            try context.save()
        }
        try await container.perform { context in
            context.coordinator.forgetRows()
            var request = FetchRequest<Entry>()
            request.fetchBatchSize = 100
            var batches: FetchedBatches<Entry>?
            let opening = try Self.count(store) { batches = try context.fetchBatches(request) }
            #expect(opening == 1)
            let entries = try #require(batches)
            for (indices, expected) in [(0..<100, 1), (99..<101, 1), (50..<60, 0)] {
                var counts: [Int] = []
                let statements = Self.count(store) { counts = indices.map { entries[$0].count } }
                #expect(statements == expected)
                #expect(counts == Array(indices))
            }
        }
    }

    @Test("a dictionary fetch takes one statement")
    func dictionaries() async throws {
        let (container, store) = try container()
        try await container.perform { context in
            let request = DictionaryFetchRequest(
                entityName: "Entry", [.key("location.name"), .count(as: "n")], groupBy: ["location.name"],
                sortedBy: [.descending("n")])
            let statements = try Self.count(store) { _ = try context.fetch(request) }
            #expect(statements == 1)
        }
    }

    @Test("where nothing is synced, a batch update by constants takes one statement, whatever number of rows")
    func batchUpdate() async throws {
        let (container, store) = try container()
        try await container.perform { context in
            for _ in 0..<3000 { Entry(context: context).text = "old" }
            try context.save()
            let entry = try context.coordinator.model.requireEntity(named: "Entry")
            let assignments = try [("text", Value.string("new")), ("count", .int(2))].map { name, value in
                BatchAssignment(column: try entry.requireProperty(named: name).slot, expression: .constant(value))
            }
            let request = StoreBatchRequest(.update(StoreFetchRequest(entity: entry), assignments))
            let statements = try Self.count(store) { _ = try store.execute(request) }
            // The update, the number raised and read, the transaction, a look whether the store is synced since, and
            // the changes.
            #expect(statements == 6)
        }
    }

    private static func count(_ store: SQLiteStore, _ body: () throws -> Void) rethrows -> Int {
        let before = store.statementCount
        try body()
        return store.statementCount - before
    }
}

extension ManagedObjectContext {
    /// Throws what a property could not.
    fileprivate func throwIfFailed() throws { _ = try count(for: FetchRequest<Warden>()) }
}
