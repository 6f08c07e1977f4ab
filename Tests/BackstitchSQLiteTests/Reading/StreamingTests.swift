import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Streams of many rows")
struct StreamingTests {
    @Test("two hundred thousand rows pass with few objects and little memory")
    func manyRows() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try PersistentContainer(
            model: .journal, store: .init(type: .sqlite, url: folder.appending(path: "store.sqlite")))
        let count = 200_000, text = String(repeating: "x", count: 500)
        let (most, growth) = try await container.perform { context in
            var inserted = 0
            try context.execute(
                BatchInsertRequest(entityName: "Entry") { row in
                    guard inserted < count else { return true }
                    row["count"] = .int(Int64(inserted))
                    row["text"] = .string(text)
                    inserted += 1
                    return false
                })
            let before = try Self.residentBytes()
            var visited = 0, most = 0, peak = before
            try context.forEach(FetchRequest<Entry>(), batchSize: 1000) { entry in
                #expect(entry.count == visited && entry.text.utf8.count == 500)
                visited += 1
                guard visited % 5000 == 0 else { return }
                most = max(most, context.registeredObjectCount)
                peak = max(peak, try Self.residentBytes())
            }
            #expect(visited == count)
            return (most, peak - before)
        }
        #expect(most <= 2000)
        // The rows hold 100 MB of text.
        #expect(growth < 40 << 20, "memory grew by \(growth >> 20) MiB")
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
            try store.save { $0.updates = [try fixture.update(read) { _ in ["name": "new"] }] }
            #expect(try store.rows(of: author, keys: [keys[29]]).value(0, 0) == "new")
        }
        #expect(names == ["old"])
    }

    /// What the process holds in memory; 0 where the system does not tell.
    private static func residentBytes() throws -> Int {
        guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return (Int(statm.split(separator: " ")[1]) ?? 0) * 4096
    }
}
