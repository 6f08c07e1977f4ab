import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Links in a SQLite store")
struct LinkTests {
    private let fixture: StoreFixture
    private let store: SQLiteStore
    private let books: [ObjectKey], authors: [ObjectKey]

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.openInMemory(keepsOutbox: true)
        books = fixture.keys(3)
        authors = fixture.keys(3)
        let fixture = self.fixture, books = self.books, authors = self.authors
        try store.save { request in
            request.inserts = [
                try fixture.rows("Book", books.map { ($0, [:]) }),
                try fixture.rows("Author", authors.map { ($0, [:]) }),
            ]
            request.links = [
                try fixture.links(
                    "books", of: "Author",
                    added: [(authors[0], books[0]), (authors[0], books[1]), (authors[1], books[0])])
            ]
        }
    }

    private func links() throws -> [ObjectKey: [ObjectKey]] {
        try store.readJournal {
            try $0.links(of: fixture.property("books", of: "Author"), in: fixture.entity("Author"), sources: authors)
        }
    }

    @Test("links are kept, each once, and told rising")
    func kept() throws {
        #expect(try links() == [authors[0]: [books[0], books[1]], authors[1]: [books[0]]])
        try store.save { $0.links = [try fixture.links("books", of: "Author", added: [(authors[0], books[0])])] }
        #expect(try links()[authors[0]] == [books[0], books[1]])
        #expect(try store.history().filter { $0.number == 2 }.isEmpty)
    }

    @Test("a link change is an update of the owner in history; taking away what is not there is nothing")
    func history() throws {
        try store.save { request in
            request.links = [
                try fixture.links(
                    "books", of: "Author", added: [(authors[2], books[2])],
                    removed: [(authors[0], books[1]), (authors[1], books[2])])
            ]
        }
        #expect(try links() == [authors[0]: [books[0]], authors[1]: [books[0]], authors[2]: [books[2]]])
        #expect(
            try store.history().filter { $0.number == 2 } == [
                HistoryRow(number: 2, entity: "Author", key: authors[0], kind: 1, properties: "books"),
                HistoryRow(number: 2, entity: "Author", key: authors[2], kind: 1, properties: "books"),
            ])
    }

    @Test("columns and links of one object that change in one save are one update")
    func merged() throws {
        let read = try store.rows(of: fixture.entity("Author"), keys: [authors[0]])
        try store.save { request in
            request.updates = [try fixture.update(read) { _ in ["name": "x"] }]
            request.links = [try fixture.links("books", of: "Author", removed: [(authors[0], books[0])])]
        }
        #expect(
            try store.history().filter { $0.number == 2 }
                == [HistoryRow(number: 2, entity: "Author", key: authors[0], kind: 1, properties: "name,books")])
        // The insert was never sent, so it collects the fields.
        let entry = try #require(try store.outboxEntry(authors[0]))
        #expect(entry.kind == .insert)
        #expect(
            entry.fields == [
                .init(name: "books", sequence: 2, base: .links([books[0], books[1]])),
                .init(name: "name", sequence: 2, base: .value(.null)),
            ])
    }

    @Test("links that the inserting save makes are no change after the insert")
    func insertedTogether() throws {
        #expect(try store.outboxEntry(authors[0])?.fields == [])
        #expect(try store.history().allSatisfy { $0.kind == 0 })
    }

    @Test("a deleted object takes its links along; owners at the other end are told as updated")
    func deletedTarget() throws {
        try store.save { $0.deletes = [try fixture.rows("Book", books[0], version: 1)] }
        #expect(try links() == [authors[0]: [books[1]]])
        #expect(
            try store.history().filter { $0.number == 2 } == [
                HistoryRow(number: 2, entity: "Book", key: books[0], kind: 2, properties: nil),
                HistoryRow(number: 2, entity: "Author", key: authors[0], kind: 1, properties: "books"),
                HistoryRow(number: 2, entity: "Author", key: authors[1], kind: 1, properties: "books"),
            ])
        #expect(
            try store.outboxEntry(authors[1])?.fields == [.init(name: "books", sequence: 2, base: .links([books[0]]))])
    }

    @Test("a deleted owner takes its links along")
    func deletedOwner() throws {
        try store.save { $0.deletes = [try fixture.rows("Author", authors[0], version: 1)] }
        #expect(try links() == [authors[1]: [books[0]]])
        #expect(
            try store.history().filter { $0.number == 2 }
                == [HistoryRow(number: 2, entity: "Author", key: authors[0], kind: 2, properties: nil)])
    }

    @Test("both ends deleted in one save")
    func bothDeleted() throws {
        try store.save { request in
            request.deletes = [
                try fixture.rows("Author", authors[0], version: 1), try fixture.rows("Book", books[0], version: 1),
            ]
        }
        #expect(try links() == [:])
        #expect(try store.history().filter { $0.number == 2 }.map(\.kind) == [2, 2, 1])
    }

    @Test("a link of sync may lead to an object that is not there yet; one of a save may not")
    func dangling() throws {
        let late = fixture.generator.next()
        let links = try fixture.links("books", of: "Author", added: [(authors[2], late)])
        let error = #expect(throws: BackstitchError.self) { try store.save { $0.links = [links] } }
        #expect(error?.code == .saveConflict)
        try store.writeJournal(author: "sync") { try $0.change(links) }
        let property = try fixture.property("books", of: "Author")
        #expect(try store.related(by: property, of: fixture.entity("Author"), sources: [authors[2]]).links.isEmpty)
        try store.save { $0.inserts = [try fixture.rows("Book", late)] }
        #expect(
            try store.related(by: property, of: fixture.entity("Author"), sources: [authors[2]]).rows.keys == [late])
    }

    @Test("an object may be linked to itself, and a relationship to itself has two directions")
    func toItself() throws {
        let people = fixture.keys(2)
        let person = try fixture.entity("Person"), friends = try fixture.property("friends", of: "Person")
        try store.save { request in
            request.inserts = [try fixture.rows("Person", people.map { ($0, [:]) })]
            request.links = [
                try fixture.links("friends", of: "Person", added: [(people[0], people[0]), (people[0], people[1])])
            ]
        }
        #expect(Set(try store.related(by: friends, of: person, sources: people).rows.keys) == Set(people))
        try store.save { $0.deletes = [try fixture.rows("Person", people[0], version: 1)] }
        #expect(try store.related(by: friends, of: person, sources: people).links.isEmpty)
    }

    @Test("links of a side that owns none are refused, and nothing is stored")
    func wrongSide() throws {
        let error = #expect(throws: BackstitchError.self) {
            try store.save { request in
                request.inserts = [try fixture.rows("Shelf", fixture.generator.next())]
                request.links = [try fixture.links("authors", of: "Book", added: [(books[0], authors[0])])]
            }
        }
        #expect(error?.code == .invalidRequest)
        #expect(try store.count(StoreFetchRequest(entity: fixture.entity("Shelf"))) == 0)
    }
}
