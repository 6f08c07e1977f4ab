import Backstitch
import Foundation

extension StoreConformance {
    /// The journal's transactions. Sync reads and writes rows in them.
    ///
    /// A backend must
    /// - write rows under the journal's author into history, and never into the outbox;
    /// - show a transaction its own writes, and show other readers no part of them;
    /// - keep the version of a row that is written with equal values;
    /// - write one history change for an object that a transaction touches several times;
    /// - undo all when the closure throws;
    /// - refuse an ended journal, and calls from inside a journal that would wait for themselves.
    ///
    /// A store fails when rows of the journal enter its outbox: a change then returns to its sender, for ever.
    static let journalWriteCases = [
        ConformanceCase.journal("rows written through the journal enter history under their author, and not the outbox")
        { bench, journal in
            let keys = bench.keys(2)
            try journal.writeJournal(author: "sync") {
                try $0.upsert(bench.rows("Entry", keys.map { ($0, ["text": "a"]) }, version: 77))
            }
            let first = try journal.lastNumber()
            try journal.writeJournal(author: "sync") {
                try $0.upsert(bench.rows("Entry", [(keys[0], ["text": "b"]), (keys[1], ["text": "a"])]))
            }
            try expectEqual(try bench.values("text", of: "Entry"), [keys[0]: "b", keys[1]: "a"])
            try expectEqual(Array(try bench.all("Entry").versions), [2, 1])
            try expect(try journal.readJournal { try $0.outboxCounts() } == (0, 0))
            try expectEqual(try journal.transactions().map(\.author), ["sync", "sync"])
            try expectEqual(
                try journal.told(after: first), [ToldChange(key: keys[0], kind: .update, properties: ["text"])])
        },
        ConformanceCase.journal("a request within a transaction sees what it has written so far") { bench, journal in
            let keys = bench.keys(3), entry = try bench.entity("Entry")
            let predicate = try FetchPredicate(format: "text == 'a'").resolved(for: entry, in: bench.model)
            let request = StoreFetchRequest(entity: entry, predicate: predicate)
            let found = try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(
                    bench.rows("Entry", zip(keys, ["a", "b", "a"]).map { ($0, ["text": .string($1)]) }))
                try journal.delete([keys[2]], of: entry)
                return Array(try journal.fetch(request).keys)
            }
            try expectEqual(found, [keys[0]])
            try expectEqual(try journal.readJournal { Array(try $0.fetch(request).keys) }, [keys[0]])
        },
        ConformanceCase.journal("a batch that holds a key twice writes the later row") { bench, journal in
            let key = bench.generator.next()
            for names in [["a", "b"], ["c", "b"], ["b", "d"]] {
                try journal.writeJournal(author: "sync") {
                    try $0.upsert(bench.rows("Entry", names.map { (key, ["text": .string($0)]) }))
                }
                try expectEqual(try bench.values("text", of: "Entry"), [key: .string(names[1])])
            }
            try expectEqual(try journal.told().map(\.kind), [.insert, .update])
        },
        ConformanceCase.journal("what a transaction does to an object piece by piece is one account of history") {
            bench, journal in
            let keys = bench.keys(4), tag = bench.generator.next()
            try journal.writeJournal(author: "sync") {
                try $0.upsert(bench.rows("Entry", keys[..<2].map { ($0, [:]) }))
            }
            let first = try journal.lastNumber()
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(bench.rows("Entry", keys.map { ($0, ["text": "x"]) }))
                try journal.change(bench.links("tags", of: "Entry", added: [(keys[0], tag), (keys[2], tag)]))
                try journal.delete([keys[1], keys[3]], of: bench.entity("Entry"))
            }
            try expectEqual(
                try journal.told(after: first),
                [
                    ToldChange(key: keys[0], kind: .update, properties: ["text", "tags"]),
                    ToldChange(key: keys[1], kind: .delete), ToldChange(key: keys[2], kind: .insert),
                ])
        },
        ConformanceCase.journal(
            "deleting takes the links along that a row owns, leaves those that lead to it, "
                + "and ignores what is not there"
        ) { bench, journal in
            let entries = bench.keys(2), tags = bench.keys(2)
            let entry = try bench.entity("Entry"), property = try bench.property("tags", of: "Entry")
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(bench.rows("Entry", entries.map { ($0, [:]) }))
                try journal.upsert(bench.rows("Tag", tags.map { ($0, [:]) }))
                try journal.change(
                    bench.links(
                        "tags", of: "Entry",
                        added: [(entries[0], tags[0]), (entries[1], tags[0]), (entries[1], tags[1])]))
            }
            let first = try journal.lastNumber()
            try journal.writeJournal(author: "sync") { journal in
                try journal.delete([tags[0], bench.generator.next()], of: bench.entity("Tag"))
                let left = try journal.links(of: property, in: entry, sources: entries).mapValues(Set.init)
                try expectEqual(left, [entries[0]: [tags[0]], entries[1]: [tags[0], tags[1]]])
                try journal.delete([entries[1]], of: entry)
                try expectEqual(
                    try journal.links(of: property, in: entry, sources: entries), [entries[0]: [tags[0]]])
                try expectEqual(try journal.allKeys(of: entry), [entries[0]])
                try expectEqual(Array(try journal.rows(of: bench.entity("Tag"), keys: tags).keys), [tags[1]])
            }
            try expectEqual(
                try journal.told(after: first).map(\.kind.rawValue).sorted(), ["delete", "delete", "update"])
        },
        ConformanceCase.journal("a transaction that throws leaves nothing behind") { bench, journal in
            struct Stop: Error {}
            let key = bench.generator.next(), id = ObjectID(entityName: "Entry", key: key)
            do {
                try journal.writeJournal(author: "sync") { journal in
                    try journal.upsert(bench.rows("Entry", key))
                    try journal.setMetadata(Data([1]), for: "token")
                    try journal.putRecordStates([RecordState(objectID: id, changeTag: "a")])
                    try journal.putOutbox([OutboxEntry(objectID: id, kind: .update, sequence: 1, firstSequence: 1)])
                    throw Stop()
                }
                throw ConformanceFailure(description: "the closure's error was swallowed")
            } catch is Stop {}
            try journal.readJournal { journal in
                try expect(try journal.allKeys(of: bench.entity("Entry")).isEmpty)
                try expectEqual(try journal.metadata(for: "token"), nil)
                try expect(try journal.allRecordKeys().isEmpty)
                try expect(try journal.outboxCounts() == (0, 0))
                try expectEqual(try journal.lastTransactionNumber(), 0)
            }
        },
        ConformanceCase.journal("a transaction that changes no rows is none of history") { _, journal in
            let result = try journal.writeJournal(author: "sync") { journal in
                try journal.setMetadata(Data([1]), for: "token")
                return "result"
            }
            try expectEqual(result, "result")
            try expect(try journal.transactions().isEmpty)
        },
        ConformanceCase.journal("a journal that is used after its closure throws, for reading and writing") {
            bench, journal in
            let entry = try bench.entity("Entry")
            var reading: (any JournalReading)?, writing: (any JournalWriting)?
            try journal.readJournal { reading = $0 }
            try journal.writeJournal(author: "sync") { writing = $0 }
            let calls: [() throws -> Void] = [
                { _ = try reading?.allKeys(of: entry) }, { _ = try reading?.outboxCounts() },
                { _ = try writing?.metadata(for: "x") },
                { try writing?.upsert(bench.rows("Entry", bench.generator.next())) },
                { try writing?.setMetadata(nil, for: "x") }, { try writing?.delete(bench.keys(1), of: entry) },
            ]
            for call in calls { try expectError(.invalidRequest, call) }
        },
        ConformanceCase.journal("a journal for reading refuses to write") { _, journal in
            try journal.readJournal { journal in
                // A journal that cannot write at all is correct, too.
                guard let writing = journal as? any JournalWriting else { return }
                try expectError(.invalidRequest) { try writing.setMetadata(Data(), for: "x") }
            }
        },
        ConformanceCase.journal(
            "writing to the store, or closing it, from inside a journal is an error, not a deadlock; reading is fine"
        ) { bench, journal in
            let rows = try bench.rows("Entry", bench.generator.next())
            let calls: [() throws -> Void] = [
                { try bench.save { $0.inserts = [rows] } }, { try journal.writeJournal(author: "x") { _ in } },
                { try journal.close() },
            ]
            for call in calls {
                try expectError(.invalidRequest) { try journal.writeJournal(author: "sync") { _ in try call() } }
                try expectError(.invalidRequest) { try journal.readJournal { _ in try call() } }
            }
            try bench.save { $0.inserts = [rows] }
            try expectEqual(try journal.readJournal { _ in try bench.all("Entry").count }, 1)
            try journal.close()
            try expectError(.storeClosed) { try bench.save { $0.inserts = [rows] } }
        },
    ]
}
