import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Saving to a SQLite store")
struct SaveTests {
    @Test("ten thousand rows come back as they were saved")
    func manyRows() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let rows = fixture.keys(10_000).enumerated().map { index, key in
            (
                key,
                [
                    "title": .string("book \(index)"), "large": .int(Int64(index) * 7_919),
                    "isLent": .bool(index % 2 == 0),
                ] as [String: Value]
            )
        }
        let batch = try fixture.rows("Book", rows)
        try store.save { $0.inserts = [batch] }
        let stored = try store.all(fixture.entity("Book"))
        #expect(stored.keys == batch.keys)
        #expect((0..<10_000).allSatisfy { stored.values(at: $0) == batch.values(at: $0) })
    }

    @Test("an update whose lists are out of step is refused")
    func malformedUpdate() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let rows = try fixture.rows("Author", fixture.generator.next())
        try store.save { $0.inserts = [rows] }
        let error = #expect(throws: BackstitchError.self) {
            try store.save { $0.updates = [RowUpdate(rows: rows, originals: rows, changed: [])] }
        }
        #expect(error?.code == .internalInconsistency)
        #expect(try store.transactions().count == 1)
    }
}
