import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Links in a SQLite store")
struct LinkTests {
    @Test("an object may be linked to itself, and a relationship to itself has two directions")
    func toItself() throws {
        let fixture = try StoreFixture(), store = try fixture.openInMemory(keepsOutbox: true)
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
        let fixture = try StoreFixture(), store = try fixture.openInMemory(keepsOutbox: true)
        let book = fixture.generator.next(), author = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Book", book), try fixture.rows("Author", author)] }
        let error = #expect(throws: BackstitchError.self) {
            try store.save { request in
                request.inserts = [try fixture.rows("Shelf", fixture.generator.next())]
                request.links = [try fixture.links("authors", of: "Book", added: [(book, author)])]
            }
        }
        #expect(error?.code == .invalidRequest)
        #expect(try store.count(StoreFetchRequest(entity: fixture.entity("Shelf"))) == 0)
    }
}
