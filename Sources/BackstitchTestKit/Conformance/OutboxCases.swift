import Backstitch
import Foundation

extension StoreConformance {
    /// The outbox: one entry for each object, with the server's last known values as bases, for any order of saves.
    ///
    /// A backend must follow ``OutboxEntry`` exactly:
    /// - an update notes the earlier values as bases, and keeps the first base through later updates;
    /// - an insert collects fields, and its deletion leaves no entry if it was never sent;
    /// - a deletion keeps digests of everything that the server knows of the object;
    /// - an insert after a deletion that the server may know is an update of every column, with these digests as bases;
    /// - a held save or batch request (``SaveChangesRequest/isHeld``) notes its changes as held, except those of
    ///   objects that already have changes to send.
    ///
    /// All logs of up to four saves are tested. A store fails if it looks only at the newest save: a merge with a wrong
    /// base reverts changes of other devices.
    static let outboxCases = [
        ConformanceCase.journal("an update keeps the values before it as bases in the outbox, of every kind") {
            bench, journal in
            let keys = bench.keys(2), place = ObjectID(entityName: "Location", key: bench.generator.next())
            let date = Value.date(.distantPast), asset = AssetReference(checksum: "x", size: 3)
            let before: [(String, [String: Value])] = [
                ("Entry", ["text": "e\u{301}", "created": date, "photo": .asset(asset), "location": .object(place)]),
                (
                    "AllTypes",
                    [
                        "decimal": .decimal(Decimal(15) / 10), "double": .double(-0.0), "uuid": .uuid(UUID()),
                        "boolean": false, "integer16": -3, "binary": .data(Data([0])),
                    ]
                ),
            ]
            for (key, (entity, values)) in zip(keys, before) {
                try journal.writeJournal(author: "sync") { try $0.upsert(bench.rows(entity, key, values)) }
                let read = try bench.all(entity)
                try bench.save { $0.updates = [bench.update(read) { _ in values.mapValues { _ in .null } }] }
                let entry = try journal.outboxEntry(key)
                try expectEqual(entry?.kind, .update)
                try expectEqual(entry?.fields.map(\.name), values.keys.sorted())
                for field in entry?.fields ?? [] {
                    try expectEqual(field.base, values[field.name].map { .value($0) }, field.name)
                }
            }
        },
        ConformanceCase.journal("a deletion keeps digests of what the server knows, of every column and owned link") {
            bench, journal in
            let keys = bench.keys(3), tag = bench.generator.next(), entity = try bench.entity("Entry")
            let date = Value.date(.distantPast), asset = AssetReference(checksum: "x", size: 3)
            let values: [String: Value] = ["text": "e\u{301}", "count": 7, "created": date, "photo": .asset(asset)]
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(bench.rows("Tag", tag, [:]))
                for key in keys {
                    try journal.upsert(bench.rows("Entry", key, values))
                    try journal.change(bench.links("tags", of: "Entry", added: [(key, tag)]))
                }
            }
            // The server does not know unsent changes.
            try bench.save { request in
                let read = try bench.store.rows(of: entity, keys: [keys[0]])
                request.updates = [bench.update(read) { _ in ["text": "unsent", "photo": .null] }]
                request.links = [try bench.links("tags", of: "Entry", removed: [(keys[0], tag)])]
            }
            try bench.save { $0.deletes = [try bench.store.rows(of: entity, keys: Array(keys.prefix(2)))] }
            _ = try bench.store.execute(StoreBatchRequest(.delete(StoreFetchRequest(entity: entity))))
            var expected: [String: OutboxEntry.Base] = ["tags": .links([tag])]
            for column in entity.columns { expected[column.name] = .value(values[column.name] ?? .null) }
            for key in keys {
                let entry = try journal.outboxEntry(key)
                try expectEqual(entry?.kind, .delete)
                try expectEqual(entry?.fields.map(\.name), expected.keys.sorted())
                for field in entry?.fields ?? [] {
                    try expectEqual(field.base, expected[field.name]?.digested, field.name)
                    try expectEqual(field.sequence, entry?.sequence)
                }
            }
            // The object exists again.
            try bench.save { $0.inserts = [try bench.rows("Entry", keys[0], ["text": "again"])] }
            let entry = try journal.outboxEntry(keys[0])
            for field in entry?.fields ?? [] {
                try expectEqual(field.base, expected[field.name]?.digested, field.name)
            }
            try expectEqual(Set(entry?.fields.map(\.name) ?? []), Set(entity.columns.map(\.name)))
        },
        ConformanceCase.journal("every possible log of up to four saves gives the outbox entry that its history says") {
            bench, journal in
            for attempted in [Int64(0), 2] {
                for log in SavedLog.all(upTo: 4) { try SavedLog(log, attempted: attempted).check(bench, journal) }
            }
        },
        ConformanceCase.journal("the changes of a held save are noted as held, until another one touches the object") {
            bench, journal in
            let keys = bench.keys(3), entity = try bench.entity("Entry")
            try bench.save {
                $0.isHeld = true
                $0.inserts = [try bench.rows("Entry", keys.map { ($0, ["text": "held"]) })]
            }
            func held() throws -> [ObjectKey] { try journal.readJournal { try $0.blockedOutbox() }.map(\.objectID.key) }
            try expectEqual(try held(), keys)
            try expect(
                try journal.readJournal { try $0.blockedOutbox() }.allSatisfy { $0.isHeld && $0.kind == .insert })
            try expect(try journal.readJournal { try $0.outbox(after: 0, limit: 10) }.isEmpty)
            // Held again, then released. The last save is not held, since the object has changes that wait to be sent.
            for (isHeld, number) in [(true, 1), (false, 2), (true, 3)] as [(Bool, Int64)] {
                try bench.save {
                    $0.isHeld = isHeld
                    let read = try bench.store.rows(of: entity, keys: [keys[0]])
                    $0.updates = [bench.update(read) { _ in ["count": .int(number)] }]
                }
                try expectEqual(try held().contains(keys[0]), number == 1)
            }
        },
        ConformanceCase.journal("a held batch request notes its changes as held") { bench, journal in
            let keys = bench.keys(2)
            var insert = StoreBatchRequest(
                .insert(try bench.entity("Entry")) {
                    var rest = [try? bench.rows("Entry", keys.map { ($0, ["text": "held"]) })].compactMap(\.self)
                    return { _ in rest.popLast().map { StoreBatchRequest.Part(rows: $0) } }
                })
            insert.isHeld = true
            _ = try bench.store.execute(insert)
            try expect(try journal.readJournal { try $0.outbox(for: keys) }.values.allSatisfy(\.isHeld))
            var deletion = StoreBatchRequest(.delete(StoreFetchRequest(entity: try bench.entity("Entry"))))
            deletion.isHeld = true
            _ = try bench.store.execute(deletion)
            try expect(try journal.readJournal { try $0.outbox(for: keys) }.isEmpty)
        },
    ]
}

/// Saves of one object, one after another. Sync has tried to send the first few.
private struct SavedLog {
    /// The kinds of saves for an object.
    enum Operation: CaseIterable { case insert, setText, setCount, delete }

    /// One operation for each save, in order.
    let operations: [Operation]
    /// The number of saves that the server may know.
    let attempted: Int64

    init(_ operations: [Operation], attempted: Int64) {
        (self.operations, self.attempted) = (operations, attempted)
    }

    /// The logs that can happen.
    static func all(upTo length: Int) -> [[Operation]] {
        var all: [[Operation]] = [], newest: [[Operation]] = [[]]
        for _ in 0..<length {
            newest = newest.flatMap { log in Operation.allCases.map { log + [$0] } }
            all += newest
        }
        return all.filter { log in
            var isThere = false
            return log.allSatisfy { operation in
                defer { isThere = operation == .insert || (operation != .delete && isThere) }
                return (operation == .insert) != isThere
            }
        }
    }

    /// Plays the log on a new object, and compares the outbox with the expected entry for the whole log.
    func check(_ bench: StoreBench, _ journal: any JournalingStore) throws {
        let key = bench.generator.next(), entity = try bench.entity("Entry"), log = operations
        let start = try journal.lastNumber()
        try journal.writeJournal(author: "sync") { journal in
            try journal.setMetadata(
                withUnsafeBytes(of: (start + attempted).littleEndian) { Data($0) }, for: OutboxEntry.attemptedKey)
        }
        for (step, operation) in log.enumerated() {
            try bench.save { request in
                let read = try bench.store.rows(of: entity, keys: [key])
                switch operation {
                case .insert: request.inserts = [try bench.rows("Entry", key, ["text": "new", "count": 0])]
                case .delete: request.deletes = [read]
                case .setText: request.updates = [bench.update(read) { _ in ["text": .string("t\(step)")] }]
                case .setCount: request.updates = [bench.update(read) { _ in ["count": .int(Int64(step))] }]
                }
            }
        }
        let entry = try journal.outboxEntry(key)
        let inserts = log.indices.filter { log[$0] == .insert }, deletes = log.indices.filter { log[$0] == .delete }
        let isSent = inserts.contains { Int64($0 + 1) <= attempted }
        if log.last == .delete {
            try expectEqual(entry != nil, isSent, "\(log)")
            let isDigested = entry?.fields.allSatisfy { $0.base == $0.base.digested } ?? true
            try expect(entry.map { $0.kind == .delete && !$0.fields.isEmpty } ?? true && isDigested, "\(log)")
        } else {
            let isAgain = deletes.contains { delete in inserts.contains { $0 < delete && Int64($0 + 1) <= attempted } }
            try expectEqual(entry?.kind, isAgain ? .update : .insert, "\(log)")
            let life = log[(inserts.last ?? 0)...]
            let set = Set(life.compactMap { $0 == .setText ? "text" : $0 == .setCount ? "count" : nil })
            let names = Set(entry?.fields.map(\.name) ?? [])
            try expectEqual(names, isAgain ? Set(entity.columns.map(\.name)) : set, "\(log)")
        }
        if let entry { try expectEqual(entry.sequence, start + Int64(log.count), "\(log)") }
    }
}
