import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Related rows in a SQLite store")
struct RelatedTests {
    private let fixture: StoreFixture
    private let store: SQLiteStore
    private let shelves: [ObjectKey], books: [ObjectKey], authors: [ObjectKey], sleeve: ObjectKey

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
        shelves = fixture.keys(3)
        books = fixture.keys(4)
        authors = fixture.keys(3)
        sleeve = fixture.generator.next()
        let (fixture, shelves, books, authors, sleeve) = (fixture, shelves, books, authors, sleeve)
        func id(_ entity: String, _ key: ObjectKey) -> Value { .object(ObjectID(entityName: entity, key: key)) }
        try store.save { request in
            request.inserts = [
                try fixture.rows(
                    "Shelf", [(shelves[0], [:]), (shelves[1], ["above": id("Shelf", shelves[0])]), (shelves[2], [:])]),
                try fixture.rows(
                    "Book",
                    [
                        (books[0], ["shelf": id("Shelf", shelves[0]), "sleeve": id("Sleeve", sleeve)]),
                        (books[1], ["shelf": id("Shelf", shelves[0])]), (books[2], ["shelf": id("Shelf", shelves[1])]),
                        (books[3], [:]),
                    ]), try fixture.rows("Author", authors.map { ($0, [:]) }), try fixture.rows("Sleeve", sleeve),
            ]
            request.links = [
                try fixture.links(
                    "books", of: "Author",
                    added: [(authors[0], books[0]), (authors[0], books[1]), (authors[1], books[0])])
            ]
        }
    }

    /// The links from `sources` as pairs, with each destination once.
    private func related(_ property: String, _ entity: String, _ sources: [ObjectKey]) throws -> Set<[ObjectKey]> {
        let result = try store.related(
            by: fixture.property(property, of: entity), of: fixture.entity(entity), sources: sources)
        #expect(Set(result.rows.keys).count == result.rows.count)
        #expect(result.links.count == Set(result.links.map { [$0.source, result.rows.keys[$0.row]] }).count)
        return Set(result.links.map { [$0.source, result.rows.keys[$0.row]] })
    }

    @Test("the many of a to-one, from several sources at once")
    func inverseColumn() throws {
        #expect(
            try related("books", "Shelf", shelves)
                == [[shelves[0], books[0]], [shelves[0], books[1]], [shelves[1], books[2]]])
        #expect(try related("below", "Shelf", shelves) == [[shelves[0], shelves[1]]])
    }

    @Test("the other end of a one-to-one, whichever end keeps it")
    func oneToOne() throws {
        #expect(try related("book", "Sleeve", [sleeve]) == [[sleeve, books[0]]])
        #expect(try related("sleeve", "Book", books) == [[books[0], sleeve]])
    }

    @Test("a to-one's destination is found as well, though a row tells it")
    func column() throws {
        #expect(
            try related("shelf", "Book", books)
                == [[books[0], shelves[0]], [books[1], shelves[0]], [books[2], shelves[1]]])
    }

    @Test("a many-to-many from the side that owns it and from the other")
    func links() throws {
        #expect(
            try related("books", "Author", authors)
                == [[authors[0], books[0]], [authors[0], books[1]], [authors[1], books[0]]])
        #expect(
            try related("authors", "Book", books)
                == [[books[0], authors[0]], [books[0], authors[1]], [books[1], authors[0]]])
    }

    @Test("no sources, unknown sources and repeated sources")
    func odd() throws {
        #expect(try related("books", "Author", []) == [])
        #expect(try related("books", "Author", fixture.keys(2)) == [])
        #expect(try related("books", "Author", [authors[1], authors[1], authors[1]]) == [[authors[1], books[0]]])
        let error = #expect(throws: BackstitchError.self) { try related("name", "Author", authors) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("thousands of sources, some twice, with destinations that many share")
    func many() throws {
        let people = fixture.keys(1_300)
        let hub = people[0]
        try store.save { request in
            request.inserts = [try fixture.rows("Person", people.map { ($0, [:]) })]
            request.links = [try fixture.links("friends", of: "Person", added: people.map { ($0, hub) })]
        }
        let result = try store.related(
            by: fixture.property("friends", of: "Person"), of: fixture.entity("Person"),
            sources: people + people.reversed())
        #expect(result.rows.keys == [hub])
        #expect(result.links.count == 1_300)
        #expect(Set(result.links.map(\.source)) == Set(people))
    }
}
