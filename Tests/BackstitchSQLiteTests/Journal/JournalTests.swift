import Backstitch
import BackstitchSQL
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

    @Test("rows written through the journal enter history under their author, and not the outbox")
    func upserts() throws {
        let keys = fixture.keys(2), author = try fixture.entity("Author")
        try store.writeJournal(author: "sync") {
            try $0.upsert(fixture.rows("Author", keys.map { ($0, ["name": "a"]) }, version: 77))
        }
        try store.writeJournal(author: "sync") {
            try $0.upsert(fixture.rows("Author", [(keys[0], ["name": "b"]), (keys[1], ["name": "a"])]))
        }
        let stored = try store.all(author)
        #expect(stored.contents == [keys[0]: ["name": "b"], keys[1]: ["name": "a"]])
        #expect(stored.versions == [2, 1])
        #expect(try store.readJournal { try $0.outboxCounts() } == (0, 0))
        #expect(try store.transactions().map { $0[2] } == ["sync", "sync"])
        #expect(
            try store.history().filter { $0.number == 2 }
                == [HistoryRow(number: 2, entity: "Author", key: keys[0], kind: 1, properties: "name")])
    }

    @Test("a request within a transaction sees what it has written so far")
    func fetchWithin() throws {
        let keys = fixture.keys(3), author = try fixture.entity("Author")
        let predicate = try FetchPredicate(format: "name == 'a'").resolved(for: author, in: fixture.model)
        let request = StoreFetchRequest(entity: author, predicate: predicate)
        let found = try store.writeJournal(author: "sync") { (journal) throws in
            try journal.upsert(fixture.rows("Author", zip(keys, ["a", "b", "a"]).map { ($0, ["name": .string($1)]) }))
            try journal.delete([keys[2]], of: author)
            return Array(try journal.fetch(request).keys)
        }
        #expect(found == [keys[0]])
        #expect(try store.readJournal { Array(try $0.fetch(request).keys) } == [keys[0]])
    }

    @Test("a batch that holds a key twice writes the later row")
    func repeatedKey() throws {
        let key = fixture.generator.next()
        for names in [["a", "b"], ["c", "b"], ["b", "d"]] {
            try store.writeJournal(author: "sync") { (journal) throws in
                try journal.upsert(fixture.rows("Author", names.map { (key, ["name": .string($0)]) }))
            }
            #expect(try store.all(fixture.entity("Author")).contents == [key: ["name": .string(names[1])]])
        }
        #expect(try store.history().map(\.kind) == [0, 1])
    }

    @Test("what a transaction does to an object piece by piece is one account of history")
    func oneAccount() throws {
        let keys = fixture.keys(4), author = try fixture.entity("Author"), book = fixture.generator.next()
        try store.writeJournal(author: "sync") { try $0.upsert(fixture.rows("Author", keys[..<2].map { ($0, [:]) })) }
        try store.writeJournal(author: "sync") { (journal) throws in
            try journal.upsert(fixture.rows("Author", keys.map { ($0, ["name": "x"]) }))
            try journal.change(fixture.links("books", of: "Author", added: [(keys[0], book), (keys[2], book)]))
            try journal.delete([keys[1], keys[3]], of: author)
        }
        #expect(
            try store.history().filter { $0.number == 2 } == [
                HistoryRow(number: 2, entity: "Author", key: keys[0], kind: 1, properties: "name,books"),
                HistoryRow(number: 2, entity: "Author", key: keys[1], kind: 2, properties: nil),
                HistoryRow(number: 2, entity: "Author", key: keys[2], kind: 0, properties: nil),
            ])
    }

    @Test("deleting takes the links along that a row owns, leaves those that lead to it, and ignores what is not there")
    func deletes() throws {
        let authors = fixture.keys(2), books = fixture.keys(2)
        let author = try fixture.entity("Author"), property = try fixture.property("books", of: "Author")
        try store.writeJournal(author: "sync") { (journal) throws in
            try journal.upsert(fixture.rows("Author", authors.map { ($0, [:]) }))
            try journal.upsert(fixture.rows("Book", books.map { ($0, [:]) }))
            try journal.change(
                fixture.links(
                    "books", of: "Author",
                    added: [(authors[0], books[0]), (authors[1], books[0]), (authors[1], books[1])]))
        }
        try store.writeJournal(author: "sync") { (journal) throws in
            try journal.delete([books[0], fixture.generator.next()], of: fixture.entity("Book"))
            let left = try journal.links(of: property, in: author, sources: authors).mapValues(Set.init)
            #expect(left == [authors[0]: [books[0]], authors[1]: [books[0], books[1]]])
            try journal.delete([authors[1]], of: author)
            #expect(try journal.links(of: property, in: author, sources: authors) == [authors[0]: [books[0]]])
            #expect(try journal.allKeys(of: author) == [authors[0]])
            #expect(try journal.rows(of: fixture.entity("Book"), keys: books).keys == [books[1]])
        }
        #expect(try store.history().filter { $0.number == 2 }.map(\.kind).sorted() == [1, 2, 2])
    }

    @Test("a transaction that throws leaves nothing behind")
    func undone() throws {
        struct Stop: Error {}
        let key = fixture.generator.next(), id = ObjectID(entityName: "Author", key: key)
        #expect(throws: Stop.self) {
            try store.writeJournal(author: "sync") { (journal) throws in
                try journal.upsert(fixture.rows("Author", key))
                try journal.setMetadata(Data([1]), for: "token")
                try journal.putRecordStates([RecordState(objectID: id, changeTag: "a")])
                try journal.putOutbox([OutboxEntry(objectID: id, kind: .update, sequence: 1, firstSequence: 1)])
                throw Stop()
            }
        }
        try store.readJournal { (journal) throws in
            #expect(try journal.allKeys(of: fixture.entity("Author")).isEmpty)
            #expect(try journal.metadata(for: "token") == nil)
            #expect(try journal.allRecordKeys().isEmpty)
            #expect(try journal.outboxCounts() == (0, 0))
            #expect(try journal.lastTransactionNumber() == 0)
        }
    }

    @Test("a transaction that changes no rows is none of history")
    func noHistory() throws {
        let result = try store.writeJournal(author: "sync") { (journal) throws in
            try journal.setMetadata(Data([1]), for: "token")
            return "result"
        }
        #expect(result == "result")
        #expect(try store.transactions().isEmpty)
    }

    @Test("a journal that is used after its closure throws, for reading and writing")
    func usedTooLate() throws {
        let author = try fixture.entity("Author")
        var reading: (any JournalReading)?, writing: (any JournalWriting)?
        try store.readJournal { reading = $0 }
        try store.writeJournal(author: "sync") { writing = $0 }
        let calls: [() throws -> Void] = [
            { _ = try reading?.allKeys(of: author) }, { _ = try reading?.outboxCounts() },
            { _ = try writing?.metadata(for: "x") },
            { try writing?.upsert(fixture.rows("Author", fixture.generator.next())) },
            { try writing?.setMetadata(nil, for: "x") },
            { try writing?.delete(fixture.keys(1), of: author) },
        ]
        for call in calls {
            let error = #expect(throws: BackstitchError.self) { try call() }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("a journal for reading refuses to write")
    func readingOnly() throws {
        for store in [store, try fixture.openInMemory()] {
            let error = #expect(throws: BackstitchError.self) {
                try store.readJournal { try ($0 as? any JournalWriting)?.setMetadata(Data(), for: "x") }
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("writing to the store, or closing it, from inside a journal is an error, not a deadlock; reading is fine")
    func nested() throws {
        for store in [store, try fixture.openInMemory()] {
            let rows = try fixture.rows("Author", fixture.generator.next())
            let calls: [() throws -> Void] = [
                { try store.save { $0.inserts = [rows] } }, { try store.writeJournal(author: "x") { _ in } },
                { try store.close() },
            ]
            for call in calls {
                for isWriting in [false, true] {
                    let error = #expect(throws: BackstitchError.self) {
                        if isWriting {
                            try store.writeJournal(author: "sync") { _ in try call() }
                        } else {
                            try store.readJournal { _ in try call() }
                        }
                    }
                    #expect(error?.code == .invalidRequest)
                }
            }
            let author = try fixture.entity("Author")
            let seen = try store.writeJournal(author: "sync") { (journal) throws in
                try journal.upsert(rows)
                return try store.readJournal { _ in try store.all(author).count }
            }
            #expect(seen == 1)
            #expect(try store.readJournal { _ in try store.all(author).count } == 1)
        }
    }

    @Test("metadata by key and by prefix, in the order of keys")
    func metadata() throws {
        try store.writeJournal(author: "sync") { (journal) throws in
            for key in ["b", "a.2", "a.1", "a", "a/", "a.\u{10FFFF}", "a.\u{0}"] {
                try journal.setMetadata(Data(key.utf8), for: key)
            }
            try journal.setMetadata(Data("new".utf8), for: "a.1")
            try journal.setMetadata(nil, for: "b")
            try journal.setMetadata(nil, for: "never there")
            try journal.setMetadata(Data(), for: "empty")
        }
        try store.readJournal { (journal) throws in
            #expect(try journal.metadata(for: "a.1") == Data("new".utf8))
            #expect(try journal.metadata(for: "b") == nil)
            #expect(try journal.metadata(for: "empty") == Data())
            #expect(try journal.metadata(withPrefix: "a.").map(\.key) == ["a.\u{0}", "a.1", "a.2", "a.\u{10FFFF}"])
            #expect(try journal.metadata(withPrefix: "").map(\.key).count == 7)
            #expect(try journal.metadata(withPrefix: "c").isEmpty)
        }
    }

    @Test("record states by key and by foreign name")
    func records() throws {
        let keys = fixture.keys(700)
        let states = keys.enumerated().map { index, key in
            RecordState(
                objectID: ObjectID(entityName: "Author", key: key), foreignName: index == 3 ? "from elsewhere" : nil,
                changeTag: index == 4 ? nil : "tag \(index)", unknownFields: index == 5 ? Data() : nil)
        }
        try store.writeJournal(author: "sync") { (journal) throws in
            try journal.putRecordStates(states)
            try journal.putRecordStates([RecordState(objectID: states[0].objectID, changeTag: "newer")])
            try journal.removeRecordStates([keys[1]])
        }
        try store.readJournal { (journal) throws in
            let found = try journal.recordStates(for: keys)
            #expect(found.count == 699)
            #expect(found[keys[0]]?.changeTag == "newer")
            for index in 2..<700 { #expect(found[keys[index]] == states[index]) }
            #expect(try journal.recordStates(named: ["from elsewhere", "nobody"]) == ["from elsewhere": states[3]])
            #expect(try journal.allRecordKeys().count == 699)
        }
    }

    @Test("outbox entries come back as they were put, thousands at once")
    func outbox() throws {
        let keys = fixture.keys(2_100)
        let entries = keys.enumerated().map { index, key in
            OutboxEntry(
                objectID: ObjectID(entityName: "Author", key: key), kind: [.insert, .update, .delete][index % 3],
                sequence: Int64(index / 2), firstSequence: 1,
                fields: index % 3 == 1 ? [.init(name: "name", sequence: 1, base: .value(.string("é\u{0}")))] : [],
                blockedReason: index == 9 ? "" : nil)
        }
        try store.writeJournal(author: "sync") { try $0.putOutbox(entries) }
        try store.readJournal { (journal) throws in
            let found = try journal.outbox(for: keys)
            #expect(keys.indices.allSatisfy { found[keys[$0]] == entries[$0] })
            #expect(try journal.outbox(after: -1, limit: 5_000) == entries.filter { $0.blockedReason == nil })
        }
        try store.writeJournal(author: "sync") { try $0.removeOutbox(Array(keys[..<2_000])) }
        #expect(try store.readJournal { try $0.outboxCounts() } == (100, 0))
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
