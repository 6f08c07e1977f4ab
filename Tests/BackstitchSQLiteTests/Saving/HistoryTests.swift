import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("History in a SQLite store")
struct HistoryTests {
    @Test("each save is a transaction with author, context and time; changes carry names of properties only")
    func transactions() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let key = fixture.generator.next()
        var request = SaveChangesRequest(author: "importer", contextName: "background")
        request.inserts = [try fixture.rows("Book", key, ["title": "a", "large": 1])]
        _ = try store.save(request)
        fixture.clock.advance(by: 5)
        let read = try store.all(fixture.entity("Book"))
        try store.save { $0.updates = [try fixture.update(read) { _ in ["title": "secret", "large": 2] }] }
        try store.save { $0.deletes = [try store.all(fixture.entity("Book"))] }
        #expect(
            try store.transactions() == [
                ["1", "1700000000000", "importer", "background"], ["2", "1700000000005", "nil", "nil"],
                ["3", "1700000000005", "nil", "nil"],
            ])
        #expect(
            try store.history() == [
                HistoryRow(number: 1, entity: "Book", key: key, kind: 0, properties: nil),
                HistoryRow(number: 2, entity: "Book", key: key, kind: 1, properties: "title,large"),
                HistoryRow(number: 3, entity: "Book", key: key, kind: 2, properties: nil),
            ])
    }

    @Test("numbers rise without gaps over failed saves, and go on after reopening")
    func numbers() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        #expect(throws: BackstitchError.self) { try store.save { $0.inserts = [try fixture.rows("Author", key)] } }
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        try store.close()
        store = try fixture.open()
        #expect(try store.readJournal { try $0.lastTransactionNumber() } == 2)
        #expect(
            try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }.transactionNumber
                == 3)
    }
}
