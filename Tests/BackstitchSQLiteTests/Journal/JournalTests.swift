import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("The journal of a SQLite store")
struct JournalTests {
    private let fixture: StoreFixture
    private let store: SQLiteStore

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open(keepsOutbox: true)
    }

    @Test("links alone are an unsent change, whichever copy of the model the save speaks in")
    func linksOfAnotherCopy() throws {
        let fixture = try StoreFixture(.probe)
        let store = try fixture.open(keepsOutbox: true)
        let group = fixture.generator.next(), item = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Group", group), try fixture.rows("Item", item)] }
        let entity = try ResolvedModel(.probe).requireEntity(named: "Group")
        let items = try entity.requireProperty(named: "items")
        try store.save {
            $0.links = [LinkChange(entity: entity, property: items, added: [.init(source: group, target: item)])]
        }
        let entry = try store.readJournal { try $0.outbox(for: [group])[group] }
        #expect(entry?.sequence == 2)
        #expect(entry?.fields.map(\.name) == ["items"])
    }

    @Test("reading the store inside a journal that writes sees what that has written")
    func readingWithin() throws {
        for store in [store, try fixture.openInMemory()] {
            let author = try fixture.entity("Author")
            let seen = try store.writeJournal(author: "sync") { (journal) throws in
                try journal.upsert(fixture.rows("Author", fixture.generator.next()))
                return try store.readJournal { _ in try store.all(author).count }
            }
            #expect(seen == 1)
        }
    }

    @Test("a batch delete is an unsent change of those that a relationship which is its own inverse linked to it")
    func ownInverse() throws {
        let keys = fixture.keys(2), person = try fixture.entity("Person")
        let friends = try fixture.property("friends", of: "Person")
        try store.save {
            $0.inserts = [try fixture.rows("Person", [(keys[0], ["name": "Ann"]), (keys[1], ["name": "Ben"])])]
            $0.links = [
                try fixture.links("friends", of: "Person", added: [(keys[0], keys[1]), (keys[1], keys[0])])
            ]
        }
        try store.writeJournal(author: "sync") { try $0.removeOutbox(keys) }
        let predicate = try FetchPredicate(format: "name == 'Ben'").resolved(for: person, in: fixture.model)
        _ = try store.execute(StoreBatchRequest(.delete(StoreFetchRequest(entity: person, predicate: predicate))))
        #expect(try store.outboxEntry(keys[0])?.fields.map(\.name) == ["friends"])
        #expect(try store.readJournal { try $0.links(of: friends, in: person, sources: keys) }.isEmpty)
    }

    @Test("rows that are written through the journal leave alone what the store computes of them")
    func derived() throws {
        let fixture = try StoreFixture(
            ManagedObjectModel([
                EntityDescription(
                    "Shelf",
                    [
                        .attribute("name", .string), .toOne("above", "Shelf", inverse: "below"),
                        .toMany("below", "Shelf", inverse: "above"),
                        .derived("lower", .integer64, from: "below.@count"),
                    ])
            ]))
        let store = try fixture.open(keepsOutbox: true)
        let keys = fixture.keys(2), shelf = try fixture.entity("Shelf")
        let slot = try fixture.property("lower", of: "Shelf").slot
        try store.writeJournal(author: "sync") { try $0.upsert(fixture.rows("Shelf", keys[0])) }
        // The lower shelf is written first, and the upper one with the count that it was read with.
        let above = Value.object(ObjectID(entityName: "Shelf", key: keys[0]))
        let rows = try fixture.rows(
            "Shelf", [(keys[1], ["above": above]), (keys[0], ["name": "up", "lower": .int(0)])])
        try store.writeJournal(author: "sync") { try $0.upsert(rows) }
        let upper = try store.rows(of: shelf, keys: [keys[0]])
        #expect(upper.value(0, slot) == .int(1))
        // A value that is another only because it was computed is no change.
        try store.writeJournal(author: "sync") { try $0.upsert(fixture.rows("Shelf", keys[0], ["name": "up"])) }
        let again = try store.rows(of: shelf, keys: [keys[0]])
        #expect(again.value(0, slot) == .int(1))
        #expect(again.versions[0] == upper.versions[0])
    }

    @Test("a key of metadata may hold U+0000, which is the first character")
    func metadata() throws {
        try store.writeJournal(author: "sync") { (journal) throws in
            for key in ["a.1", "a.\u{0}"] { try journal.setMetadata(Data(key.utf8), for: key) }
        }
        #expect(try store.readJournal { try $0.metadata(withPrefix: "a.").map(\.key) } == ["a.\u{0}", "a.1"])
    }

    @Test("a damaged outbox entry is an error that says so")
    func damagedOutbox() throws {
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        try store.close()
        for damage in ["kind = 9", "kind = 0, fields = x'0105'"] {
            try DatabaseFile(url: fixture.file).execute("UPDATE backstitch_outbox SET \(damage)")
            let again = try fixture.open(keepsOutbox: true)
            let error = #expect(throws: BackstitchError.self) { try again.outboxEntry(key) }
            #expect(error?.code == .storeFailure)
            try again.close()
        }
    }
}
