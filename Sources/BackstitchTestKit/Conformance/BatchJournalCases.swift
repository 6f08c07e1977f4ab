import Backstitch

extension StoreConformance {
    /// Batch requests appear like saves in history, and in the outbox of a synced store.
    ///
    /// A backend must
    /// - make one transaction of a request, with its author and context, for any number of parts;
    /// - keep one outbox entry for each object, with bases of the changed fields;
    /// - report each deleted object once, and each object that loses a link as updated;
    /// - raise versions and report the same changes even if the database updates all rows with one statement.
    ///
    /// A store fails when it writes batches without its journal: other devices never hear of them.
    static let batchJournalCases = [
        ConformanceCase.journal(
            "a batch insert is one transaction with author and context, and one outbox entry an object"
        ) { bench, journal in
            let keys = bench.keys(5)
            let changes = try insert(keys, into: bench)
            try expectEqual(changes.inserted.map(\.key), keys)
            try expectEqual(try journal.told(), keys.map { ToldChange(key: $0, kind: .insert) })
            let transactions = try journal.transactions()
            try expectEqual(transactions.map(\.number), [1])
            try expectEqual(transactions.map(\.timestamp.milliseconds), [bench.clock.milliseconds()])
            try expectEqual(transactions.map(\.author), ["importer"])
            try expectEqual(transactions.map(\.contextName), ["import"])
            let entries = try journal.readJournal { try $0.outbox(for: keys) }
            try expectEqual(entries.count, 5)
            try expect(entries.values.allSatisfy { $0.kind == .insert && $0.sequence == 1 })
        },
        ConformanceCase.requests("a batch insert tells history the same where nothing is synced") { bench in
            let keys = bench.keys(5), first = try bench.store.journal?.lastNumber() ?? 0
            let changes = try insert(keys, into: bench)
            try expectEqual(changes.inserted.map(\.key), keys)
            guard let journal = bench.store.journal else { return }
            try expectEqual(try journal.told(after: first), keys.map { ToldChange(key: $0, kind: .insert) })
            try expectEqual(try journal.transactions(after: first).map(\.author), ["importer"])
            guard journal === bench.store else { return }
            try expect(try journal.readJournal { try $0.outbox(for: keys) }.isEmpty)
        },
        updateCase("by constants", .constant("new")),
        updateCase("by expressions", .operation(.add, .constant("new"), .constant(""))),
        ConformanceCase.requests("a batch update of thousands of rows raises each version, and history tells of each") {
            bench in
            let keys = bench.keys(3_000)
            let first = try bench.save {
                $0.inserts = [try bench.rows("Entry", keys.map { ($0, ["text": "old"]) })]
            }.transactionNumber
            let changes = try bench.store.execute(update(["text": .constant("new"), "count": .constant(2)], in: bench))
            try expectEqual(Set(changes.updated.map(\.key)), Set(keys))
            try expect(try bench.all("Entry").versions.allSatisfy { $0 == 2 })
            try expect(try bench.store.execute(update(["text": .constant("new")], in: bench)).isEmpty)
            guard let journal = bench.store.journal else { return }
            let told = try journal.told(after: first)
            try expectEqual(told.count, 3_000)
            try expectEqual(
                Set(told), Set(keys.map { ToldChange(key: $0, kind: .update, properties: ["text", "count"]) }))
            try expectEqual(try journal.transactions(after: first).count, 1)
        },
        ConformanceCase.journal("a batch delete tells of each object once, and unlinked objects keep their bases") {
            bench, journal in
            let place = bench.generator.next(), entries = bench.keys(2)
            let id = ObjectID(entityName: "Location", key: place)
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(bench.rows("Location", place))
                try journal.upsert(bench.rows("Entry", entries.map { ($0, ["location": .object(id)]) }))
            }
            let first = try journal.lastNumber()
            let changes = try journal.execute(
                StoreBatchRequest(.delete(StoreFetchRequest(entity: bench.entity("Location")))))
            try expectEqual(changes.deleted, [id])
            try expectEqual(changes.updated.map(\.key), entries)
            let entry = try journal.outboxEntry(entries[0])
            try expectEqual(
                entry?.fields, [.init(name: "location", sequence: first + 1, base: .value(.object(id)))])
            try expectEqual(try journal.outboxEntry(place)?.kind, .delete)
            let told = try journal.told(after: first)
            try expectEqual(told.count, 3)
            try expectEqual(
                Set(told),
                Set(
                    entries.map { ToldChange(key: $0, kind: .update, properties: ["location"]) }
                        + [ToldChange(key: place, kind: .delete)]))
            try expectEqual(Array(try bench.all("Entry").versions), [2, 2])
        },
    ]

    /// Inserts entries by a request of two parts.
    private static func insert(_ keys: [ObjectKey], into bench: StoreBench) throws -> StoreChanges {
        let parts = [
            try bench.rows("Entry", keys[..<3].map { ($0, ["text": "a"]) }),
            try bench.rows("Entry", keys[3...].map { ($0, ["text": "b"]) }),
        ]
        let request = StoreBatchRequest(
            .insert(try bench.entity("Entry")) {
                var rest = parts[...]
                return { _ in rest.popFirst().map { StoreBatchRequest.Part(rows: $0) } }
            }, author: "importer", contextName: "import")
        return try bench.store.execute(request)
    }

    /// An update of the entries that match a predicate.
    private static func update(
        _ values: [String: PlannedBatchExpression], where format: String? = nil, in bench: StoreBench
    ) throws -> StoreBatchRequest {
        let entry = try bench.entity("Entry")
        let predicate = try format.map { try FetchPredicate(format: $0).resolved(for: entry, in: bench.model) }
        return StoreBatchRequest(
            .update(
                StoreFetchRequest(entity: entry, predicate: predicate),
                try values.map {
                    BatchAssignment(column: try bench.property($0.key, of: "Entry").slot, expression: $0.value)
                }
            ), author: "importer")
    }

    /// Makes a case that updates two of three entries. They already have one of the two new values.
    private static func updateCase(_ way: String, _ text: PlannedBatchExpression) -> ConformanceCase {
        .journal("a batch update \(way) keeps bases in the outbox, of changed fields only") { bench, journal in
            let keys = bench.keys(3)
            try journal.writeJournal(author: "sync") {
                try $0.upsert(
                    bench.rows("Entry", keys.enumerated().map { ($1, ["text": .string("\($0)"), "count": 1]) }))
            }
            let first = try journal.lastNumber()
            let changes = try journal.execute(
                update(["text": text, "count": .constant(1)], where: "text != '1'", in: bench))
            try expectEqual(changes.updated.map(\.key), [keys[0], keys[2]])
            let entry = try journal.outboxEntry(keys[2])
            try expectEqual(entry?.kind, .update)
            try expectEqual(entry?.fields, [.init(name: "text", sequence: first + 1, base: .value("2"))])
            try expectEqual(try journal.outboxEntry(keys[1]), nil)
            try expectEqual(
                try journal.told(after: first),
                [keys[0], keys[2]].map { ToldChange(key: $0, kind: .update, properties: ["text"]) })
            try expectEqual(Array(try bench.all("Entry").versions), [2, 1, 2])
        }
    }
}
