import Backstitch
import Foundation

extension StoreConformance {
    /// A synced store's state: metadata, record states and outbox entries, in thousands; and the numbers of history.
    ///
    /// A backend must
    /// - return metadata in the scalar order of keys, for prefixes too, by key, in sets and in pages, and tell empty
    ///   data from none;
    /// - find record states by key and by foreign name;
    /// - return waiting entries by sequence and key, blocked ones apart, and unblock an entry that changes again;
    /// - count a transaction for each save, none for an empty or failed one, and continue the count after reopening.
    ///
    /// A store fails if it looks up a prefix with `LIKE`, or counts a number in memory.
    static let journalStateCases = [
        ConformanceCase.journal("metadata by key and by prefix, in the order of keys") { _, journal in
            try journal.writeJournal(author: "sync") { journal in
                for key in ["b", "a.2", "a.1", "a", "a/", "a.\u{10FFFF}", "a.\u{1}"] {
                    try journal.setMetadata(Data(key.utf8), for: key)
                }
                try journal.setMetadata(Data("new".utf8), for: "a.1")
                try journal.setMetadata(nil, for: "b")
                try journal.setMetadata(nil, for: "never there")
                try journal.setMetadata(Data(), for: "empty")
            }
            try journal.readJournal { journal in
                try expectEqual(try journal.metadata(for: "a.1"), Data("new".utf8))
                try expectEqual(try journal.metadata(for: "b"), nil)
                try expectEqual(try journal.metadata(for: "empty"), Data())
                try expectEqual(
                    try journal.metadata(withPrefix: "a.").map(\.key), ["a.\u{1}", "a.1", "a.2", "a.\u{10FFFF}"])
                try expectEqual(try journal.metadata(withPrefix: "").map(\.key).count, 7)
                try expect(try journal.metadata(withPrefix: "c").isEmpty)
                let some = try journal.metadata(for: ["a.1", "b", "empty", "a.1"])
                try expectEqual(some, ["a.1": Data("new".utf8), "empty": Data()])
                try expect(try journal.metadata(for: [String]()).isEmpty)
                func page(after key: String?, _ limit: Int) throws -> [String] {
                    try journal.metadata(withPrefix: "a.", after: key, limit: limit).map(\.key)
                }
                try expectEqual(try page(after: nil, 2), ["a.\u{1}", "a.1"])
                // The key itself need not be there.
                try expectEqual(try page(after: "a.11", 2), ["a.2", "a.\u{10FFFF}"])
                try expectEqual(try page(after: "a.\u{10FFFF}", 2), [])
            }
        },
        ConformanceCase.journal("record states by key and by foreign name") { bench, journal in
            let keys = bench.keys(700)
            let states = keys.enumerated().map { index, key in
                RecordState(
                    objectID: ObjectID(entityName: "Entry", key: key),
                    foreignName: index == 3 ? "from elsewhere" : nil, changeTag: index == 4 ? nil : "tag \(index)",
                    unknownFields: index == 5 ? Data() : nil)
            }
            try journal.writeJournal(author: "sync") { journal in
                try journal.putRecordStates(states)
                try journal.putRecordStates([RecordState(objectID: states[0].objectID, changeTag: "newer")])
                try journal.removeRecordStates([keys[1]])
            }
            try journal.readJournal { journal in
                let found = try journal.recordStates(for: keys)
                try expectEqual(found.count, 699)
                try expectEqual(found[keys[0]]?.changeTag, "newer")
                for index in 2..<700 { try expectEqual(found[keys[index]], states[index]) }
                try expectEqual(
                    try journal.recordStates(named: ["from elsewhere", "nobody"]), ["from elsewhere": states[3]])
                try expectEqual(try journal.allRecordKeys().count, 699)
            }
        },
        ConformanceCase.journal("outbox entries come back as they were put, thousands at once") { bench, journal in
            let keys = bench.keys(2_100)
            let entries = keys.enumerated().map { index, key in
                OutboxEntry(
                    objectID: ObjectID(entityName: "Entry", key: key), kind: [.insert, .update, .delete][index % 3],
                    sequence: Int64(index / 2), firstSequence: 1,
                    fields: index % 3 == 1 ? [.init(name: "text", sequence: 1, base: .value("é\u{0}"))] : [],
                    blockedReason: index == 9 ? "" : nil)
            }
            try journal.writeJournal(author: "sync") { try $0.putOutbox(entries) }
            try journal.readJournal { journal in
                let found = try journal.outbox(for: keys)
                try expect(keys.indices.allSatisfy { found[keys[$0]] == entries[$0] })
                try expectEqual(
                    try journal.outbox(after: -1, limit: 5_000), entries.filter { $0.blockedReason == nil })
            }
            try journal.writeJournal(author: "sync") { try $0.removeOutbox(Array(keys[..<2_000])) }
            try expect(try journal.readJournal { try $0.outboxCounts() } == (100, 0))
        },
        ConformanceCase.journal("outbox entries wait in the order of their sequences, blocked ones apart") {
            bench, journal in
            let keys = bench.keys(5)
            for key in keys.reversed() { try bench.save { $0.inserts = [try bench.rows("Entry", key)] } }
            try journal.writeJournal(author: "sync") { journal in
                guard var entry = try journal.outbox(for: [keys[3]])[keys[3]] else { return try expect(false) }
                entry.blockedReason = "too large"
                try journal.putOutbox([entry])
            }
            try journal.readJournal { journal in
                try expectEqual(
                    try journal.outbox(after: 0, limit: 10).map(\.objectID.key), [keys[4], keys[2], keys[1], keys[0]])
                try expectEqual(try journal.outbox(after: 3, limit: 1).map(\.objectID.key), [keys[1]])
                try expect(try journal.outbox(after: 5, limit: 10).isEmpty)
                try expectEqual(try journal.blockedOutbox().map(\.blockedReason), ["too large"])
                try expect(try journal.outboxCounts() == (4, 1))
            }
            let read = try bench.store.rows(of: bench.entity("Entry"), keys: [keys[3]])
            try bench.save { $0.updates = [bench.update(read) { _ in ["text": "short"] }] }
            try expect(try journal.readJournal { try $0.outboxCounts() } == (5, 0))
        },
        ConformanceCase("a store that does not sync keeps no outbox", needs: .history) { bench in
            let container = try bench.container()
            let store = container.coordinator.store
            guard let journal = store.journal, journal === store else { return }
            try await container.perform { context in
                _ = Entry(context: context)
                try context.save()
            }
            try expect(try journal.readJournal { try $0.outboxCounts() } == (0, 0))
            try container.close()
        },
        ConformanceCase.journal("an empty save writes nothing and gives the last transaction's number") {
            bench, journal in
            try expectEqual(try bench.save { _ in }.transactionNumber, 0)
            try bench.save { $0.inserts = [try bench.rows("Entry", bench.generator.next())] }
            try expectEqual(try bench.save { _ in }.transactionNumber, 1)
            try expectEqual(try journal.transactions().count, 1)
        },
        ConformanceCase.journal("each save is a transaction with author, context and time") { bench, journal in
            let key = bench.generator.next(), start = bench.clock.milliseconds()
            var request = SaveChangesRequest(author: "importer", contextName: "background")
            request.inserts = [try bench.rows("Entry", key, ["text": "a", "count": 1])]
            _ = try journal.save(request)
            bench.clock.advance(by: 5)
            let read = try bench.all("Entry")
            try bench.save { $0.updates = [bench.update(read) { _ in ["text": "secret", "count": 2] }] }
            try bench.save { $0.deletes = [try bench.all("Entry")] }
            let transactions = try journal.transactions()
            try expectEqual(transactions.map(\.number), [1, 2, 3])
            try expectEqual(transactions.map { $0.timestamp.milliseconds - start }, [0, 5, 5])
            try expectEqual(transactions.map(\.author), ["importer", nil, nil])
            try expectEqual(transactions.map(\.contextName), ["background", nil, nil])
            try expectEqual(
                try journal.told(),
                [
                    ToldChange(key: key, kind: .insert),
                    ToldChange(key: key, kind: .update, properties: ["text", "count"]),
                    ToldChange(key: key, kind: .delete),
                ])
        },
        ConformanceCase(
            "history's numbers rise without gaps over failed saves, and go on after reopening", needs: .history
        ) { bench in
            guard bench.store.isDurable else { return }
            var container = try bench.container()
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                try context.save()
                return entry.objectID
            }
            guard let first = try container.coordinator.transactionNumber() else { return }
            try await container.perform { context in
                context.coordinator.forgetRows()
                _ = try context.insertObject(with: id)
                try expectError(.saveConflict) { try context.save() }
                context.rollback()
                _ = Tag(context: context)
                try context.save()
            }
            container = try bench.reopen(container)
            try expectEqual(try container.coordinator.transactionNumber(), first + 1)
            try await container.perform { context in
                _ = Tag(context: context)
                try context.save()
            }
            try expectEqual(try container.coordinator.transactionNumber(), first + 2)
            try container.close()
        },
    ]
}
