import Backstitch
import BackstitchSupport

extension StoreConformance {
    /// A save as a coordinator requests it: rows with versions, written all or not at all.
    ///
    /// A backend must
    /// - write updates, deletes and inserts of one request together, and raise versions by one;
    /// - delete before it inserts, since one save may do both to a key;
    /// - name every object of a conflict, and leave rows, history and outbox unchanged;
    /// - answer for thousands of keys at once, each row once, and in the order of keys for a fetch;
    /// - give each save from any thread its own number, in the order of their effect.
    ///
    /// A store fails when it checks versions row by row during the write without a transaction, or when a statement
    /// takes fewer parameters than a context has keys.
    static let requestCases = [
        ConformanceCase.requests("inserts, updates and deletes of several entities are one save; versions rise by one")
        { bench in
            let entries = bench.keys(3), place = bench.generator.next()
            let first = try bench.save { request in
                request.inserts = [
                    try bench.rows("Entry", entries.map { ($0, ["text": "old"]) }), try bench.rows("Location", place),
                ]
            }
            let stored = try bench.store.rows(of: bench.entity("Entry"), keys: Array(entries[..<2]))
            let result = try bench.save { request in
                request.updates = [
                    bench.update(stored) { ["text": .string("new \(stored.keys[$0] == entries[0] ? 0 : 1)")] }
                ]
                request.deletes = [try bench.rows("Entry", entries[2])]
                let home = Value.object(ObjectID(entityName: "Location", key: place))
                request.inserts = [
                    try bench.rows("Warden", bench.generator.next(), ["name": "Ada", "location": home])
                ]
            }
            try expectEqual(result.transactionNumber, first.transactionNumber + 1)
            try expectEqual(try bench.values("text", of: "Entry"), [entries[0]: "new 0", entries[1]: "new 1"])
            try expectEqual(Array(try bench.all("Entry").versions), [2, 2])
            try expectEqual(try bench.store.count(StoreFetchRequest(entity: bench.entity("Warden"))), 1)
        },
        ConformanceCase.requests(
            "rows of one update may differ in what changed; columns that did not change keep what others wrote"
        ) { bench in
            let keys = bench.keys(3)
            try bench.save { $0.inserts = [try bench.rows("Entry", keys.map { ($0, ["text": "t", "count": 1]) })] }
            let read = try bench.all("Entry")
            let changes: [[String: Value]] = [["text": "a"], ["count": 2], ["text": .null, "count": .null]]
            try bench.save { $0.updates = [bench.update(read) { changes[$0] }] }
            try expectEqual(try bench.values("text", of: "Entry"), [keys[0]: "a", keys[1]: "t", keys[2]: .null])
            try expectEqual(try bench.values("count", of: "Entry"), [keys[0]: 1, keys[1]: 2, keys[2]: .null])
        },
        ConformanceCase.requests(
            "every conflict of a save is told, each with its object, and nothing of the save is stored"
        ) { bench in
            let keys = bench.keys(6)
            try bench.save { $0.inserts = [try bench.rows("Entry", keys[..<5].map { ($0, ["text": "old"]) })] }
            let read = try bench.all("Entry")
            // Another saver changes the second and deletes the third.
            let others = try bench.store.rows(of: bench.entity("Entry"), keys: [keys[1]])
            try bench.save { request in
                request.updates = [bench.update(others) { _ in ["text": "theirs"] }]
                request.deletes = [try bench.rows("Entry", keys[2])]
            }
            let before = try StoredState(bench, keys)
            let error = try expectError(.saveConflict) {
                try bench.save { request in
                    request.updates = [bench.update(read) { _ in ["text": "mine"] }]
                    request.deletes = [try bench.rows("Entry", keys[3], version: 9)]
                    request.inserts = [try bench.rows("Entry", [(keys[4], [:]), (keys[5], [:])])]
                }
            }
            try expect(error.faults.allSatisfy { $0.code == .saveConflict }, "\(error)")
            // The fourth is updated, and deleted at a version that it never had.
            try expectEqual(
                Set(error.faults.compactMap { $0.objectID?.key }), [keys[1], keys[2], keys[3], keys[4]])
            for (word, key) in [("was changed", keys[1]), ("was deleted", keys[2]), ("already", keys[4])] {
                try expect(
                    error.faults.contains { $0.message.contains(word) && $0.objectID?.key == key }, "\(word): \(error)")
            }
            try expectEqual(try StoredState(bench, keys), before)
        },
        ConformanceCase.requests("a single conflict is told as itself") { bench in
            let key = bench.generator.next()
            try bench.save { $0.inserts = [try bench.rows("Entry", key)] }
            let error = try expectError(.saveConflict) {
                try bench.save { $0.inserts = [try bench.rows("Entry", key)] }
            }
            try expectEqual(error.objectID, ObjectID(entityName: "Entry", key: key))
        },
        ConformanceCase.requests("an object may be deleted and inserted again in one save") { bench in
            let key = bench.generator.next()
            try bench.save { $0.inserts = [try bench.rows("Entry", key, ["text": "old"])] }
            try bench.save { request in
                request.deletes = [try bench.rows("Entry", key)]
                request.inserts = [try bench.rows("Entry", key, ["text": "new"])]
            }
            try expectEqual(try bench.values("text", of: "Entry"), [key: "new"])
            try expectEqual(Array(try bench.all("Entry").versions), [1])
        },
        ConformanceCase.requests("rows by thousands of keys, each once, unknown and repeated keys among them") {
            bench in
            let keys = bench.keys(1_201), entity = try bench.entity("Entry")
            let text = try bench.property("text", of: "Entry").slot
            try bench.save {
                $0.inserts = [try bench.rows("Entry", keys.map { ($0, ["text": .string($0.uuidString)]) })]
            }
            for count in [0, 1, 2, 9, 64, 500, 501, 1_201] {
                let wanted = Array(keys.prefix(count))
                let found = try bench.store.rows(of: entity, keys: wanted + bench.keys(3) + wanted)
                try expectEqual(found.keys.sorted(), wanted)
                for row in 0..<found.count {
                    try expectEqual(found.value(row, text), .string(found.keys[row].uuidString))
                }
            }
        },
        ConformanceCase.requests("ten thousand rows come back as they were saved, in the order of keys") { bench in
            let rows = bench.keys(10_000).enumerated().map { index, key in
                (
                    key,
                    [
                        "string": .string("book \(index)"), "integer64": .int(Int64(index) * 7_919),
                        "boolean": .bool(index % 2 == 0),
                    ] as [String: Value]
                )
            }
            let batch = try bench.rows("AllTypes", rows)
            try bench.save { $0.inserts = [batch] }
            let stored = try bench.all("AllTypes")
            try expectEqual(stored.keys, batch.keys)
            try expect((0..<10_000).allSatisfy { stored.values(at: $0) == batch.values(at: $0) })
        },
        ConformanceCase.requests("limits, offsets and counts agree, in the order of keys") { bench in
            let keys = bench.keys(10), entity = try bench.entity("Entry")
            try bench.save { $0.inserts = [try bench.rows("Entry", keys.reversed().map { ($0, [:]) })] }
            for limit in [nil, 0, 1, 4, 10, 99] as [Int?] {
                for offset in [0, 1, 9, 10, 50] {
                    let request = StoreFetchRequest(entity: entity, limit: limit, offset: offset)
                    let expected = Array(keys.dropFirst(offset).prefix(limit ?? .max))
                    try expectEqual(Array(try bench.store.fetch(request).keys), expected)
                    try expectEqual(try bench.store.fetchKeys(request), expected)
                    try expectEqual(try bench.store.count(request), expected.count)
                }
            }
        },
        ConformanceCase("saves from many threads are serial: every number is given once, and no change is lost") {
            bench in
            let container = try bench.container()
            let coordinator = container.coordinator
            let bench = StoreBench(
                store: coordinator.store, model: coordinator.model, generator: coordinator.generator,
                clock: bench.clock)
            let key = bench.generator.next(), given = Locked<[Int64]>([])
            let first = try bench.save { $0.inserts = [try bench.rows("Entry", key, ["count": 0])] }.transactionNumber
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await onThread {
                            for _ in 0..<25 {
                                let number = try raiseCount(key, in: bench)
                                given.withLock { $0.append(number) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let numbers = given.withLock { $0 }
            try expectEqual(Set(numbers).count, 150)
            try expectEqual(numbers.max(), first + 150)
            try expectEqual(try bench.values("count", of: "Entry"), [key: 150])
            try container.close()
        },
    ]

    /// Raises an entry's count. Tries again until the save meets no conflict, and returns its number.
    private static func raiseCount(_ key: ObjectKey, in bench: StoreBench) throws -> Int64 {
        let entity = try bench.entity("Entry"), slot = try bench.property("count", of: "Entry").slot
        while true {
            let read = try bench.store.rows(of: entity, keys: [key])
            let next = bench.update(read) { ["count": .int(read.int($0, slot) + 1)] }
            do { return try bench.save { $0.updates = [next] }.transactionNumber } catch let error as BackstitchError
                where error.code == .saveConflict
            {}
        }
    }
}

/// The rows, the history and the outbox of a store. A refused save must leave them unchanged.
private struct StoredState: Equatable {
    /// The values and versions of the rows.
    let texts: [ObjectKey: Value], versions: [Int64]
    /// Nil if the store keeps no journal.
    let history: [ToldChange]?, outbox: [ObjectKey: OutboxEntry]?

    /// Reads all of it. `keys` are the keys for the outbox.
    init(_ bench: StoreBench, _ keys: [ObjectKey]) throws {
        texts = try bench.values("text", of: "Entry")
        versions = Array(try bench.all("Entry").versions)
        history = try bench.store.journal?.told()
        outbox = try bench.store.journal?.readJournal { try $0.outbox(for: keys) }
    }
}
