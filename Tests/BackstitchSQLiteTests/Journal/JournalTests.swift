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
