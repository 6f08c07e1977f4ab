import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSQLite

@Suite("Streams of many rows")
struct StreamingTests {
    @Test("two hundred thousand rows pass in little memory")
    func memory() async throws {
        let fixture = try StoreFixture()
        let file = fixture.file.path
        let probe = try await TestProcess(["stream", file]).ended()
        let numbers = probe.lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(probe.status == 0 && numbers.count == 2, "\(probe.output)")
        #expect(numbers[0] == 200_000)
        // The rows hold 100 MB of text.
        #expect(numbers[1] < 40 << 20, "memory grew by \(numbers[1] >> 20) MiB")
    }

    @Test("no more than two batches of objects are alive at a time")
    func fewObjects() async throws {
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite))
        let most = try await container.perform { context in
            var inserted = 0
            try context.execute(
                BatchInsertRequest(entityName: "Entry") { row in
                    guard inserted < 10_000 else { return true }
                    row["count"] = .int(Int64(inserted))
                    inserted += 1
                    return false
                })
            var visited = 0, most = 0
            try context.forEach(FetchRequest<Entry>(), batchSize: 500) { entry in
                #expect(entry.count == visited)
                visited += 1
                most = max(most, context.registeredObjectCount)
            }
            #expect(visited == 10_000)
            return most
        }
        #expect(most <= 1_000)
        try container.close()
    }

    @Test("a stream ends with an error when the store is closed under it")
    func closing() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.keys(100).map { ($0, [:]) })] }
        var batches = 0
        let error = #expect(throws: BackstitchError.self) {
            try store.forEachBatch(StoreFetchRequest(entity: fixture.entity("Author")), size: 10) { rows in
                batches += 1
                #expect(rows.count == 10)
                if batches == 3 { try store.close() }
            }
        }
        #expect(error?.code == .storeClosed)
        #expect(batches == 3)
    }

    @Test("what is read while a stream goes on is the present state")
    func present() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let keys = fixture.keys(30), author = try fixture.entity("Author")
        try store.save { $0.inserts = [try fixture.rows("Author", keys.map { ($0, ["name": "old"]) })] }
        var names: Set<Value> = []
        try store.forEachBatch(StoreFetchRequest(entity: author), size: 10) { rows in
            for row in 0..<rows.count { names.insert(rows.value(row, 0)) }
            let read = try store.all(author)
            guard read.value(0, 0) == "old" else { return }
            try store.save { $0.updates = [fixture.update(read) { _ in ["name": "new"] }] }
            #expect(try store.rows(of: author, keys: [keys[29]]).value(0, 0) == "new")
        }
        #expect(names == ["old"])
    }

    @Test("the closure of a batch insert may read the store as a stream, and in a context that is to be pinned")
    func insideBatch() async throws {
        let fixture = try StoreFixture()
        for url in [fixture.file, nil] {
            let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite, url: url))
            try await container.perform { context in
                for count in 1...3 { Entry(context: context).count = count }
                try context.save()
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                var counts: [Int] = []
                var isRead = false
                try context.execute(
                    BatchInsertRequest(entityName: "Entry") { row in
                        if !isRead {
                            isRead = true
                            try context.forEach(FetchRequest<Entry>(), batchSize: 2) { counts.append($0.count) }
                            #expect(try pinned.count(for: FetchRequest<Entry>()) == 3)
                            #expect(try context.coordinator.collectAssets() == 0)
                        }
                        guard let count = counts.popLast() else { return true }
                        row.set("count", to: count + 10)
                        return false
                    })
                #expect(try context.fetch(FetchRequest<Entry>()).map(\.count).sorted() == [1, 2, 3, 11, 12, 13])
            }
            try container.close()
        }
    }
}
