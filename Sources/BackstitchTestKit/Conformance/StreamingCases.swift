import Backstitch
import Foundation

extension StoreConformance {
    /// `forEach` and batches of a fetch pass over any number of rows with few of them in memory.
    ///
    /// A backend must
    /// - show one state of the store for the whole loop, even after saves, also by the loop's own body;
    /// - return the rows in the order of the request, in batches no larger than asked for;
    /// - close its cursor when the body throws.
    ///
    /// A store fails when it asks for page after page by offset: each save between two pages shifts the next one.
    static let streamingCases = [
        ConformanceCase("forEach visits every object in order, with few of them in memory") { bench in
            let count = 20_000, batchSize = 500
            try await bench.container().perform { context in
                try insertEntries(count, context)
                var expected = 0, most = 0
                let request = FetchRequest<Entry>(sortedBy: [.descending("count")])
                try context.forEach(request, batchSize: batchSize) { entry in
                    try expectEqual(entry.count, count - 1 - expected)
                    expected += 1
                    if expected % 100 == 0 { most = max(most, context.registeredObjectCount) }
                }
                try expectEqual(expected, count)
                try expect(most <= 2 * batchSize, "\(most) objects were alive at once")
            }
        },
        ConformanceCase("forEach sees one state of the store, whatever is saved meanwhile") { bench in
            try await bench.container().perform { context in
                try insertEntries(1000, context)
                var seen: [Int] = []
                let request = try FetchRequest<Entry>(where: "text == 'row'", sortedBy: [.ascending("count")])
                try context.forEach(request, batchSize: 100) { entry in
                    seen.append(entry.count)
                    if seen.count == 150 {
                        // `forEach` returns a changed row that the fetch would no longer find. It leaves out new rows
                        // and deleted ones.
                        let later = try FetchRequest<Entry>(where: "count == 500")
                        try expectEqual(context.fetch(later).count, 1)
                        try context.execute(
                            BatchUpdateRequest(
                                entityName: "Entry", where: Key<Int>("count") == 500,
                                set: ["text": "changed", "count": 5000]))
                        try context.execute(BatchDeleteRequest(try FetchRequest<Entry>(where: "count == 700")))
                        try insertEntries(1, context, from: 600)
                    }
                }
                try expectEqual(seen, Array(0..<500) + [5000] + Array(501..<700) + Array(701..<1000))
            }
        },
        ConformanceCase("objects are changed and saved inside forEach, without conflicts") { bench in
            try await bench.container().perform { context in
                try insertEntries(2000, context)
                let first = try context.fetch(FetchRequest<Entry>(limit: 1))[0].objectID
                var visited = 0
                try context.forEach(FetchRequest<Entry>(), batchSize: 300) { entry in
                    entry.count += 1
                    let other = try context.existingObject(with: first) as? Entry
                    other?.text += "."
                    visited += 1
                    if visited % 250 == 0 { try context.save() }
                }
                try context.save()
                try expectEqual(visited, 2000)
                let sum = DictionaryFetchRequest(entityName: "Entry", [.sum("count", as: "sum")])
                try expectEqual(context.fetch(sum)[0]["sum"], .int(2000 * 1999 / 2 + 2000))
            }
        },
        ConformanceCase("forEach in a child context leaves out what its closure has deleted and saved") { bench in
            try await bench.container().perform { context in
                try insertEntries(4, context)
                let child = ManagedObjectContext(parent: context)
                var seen: [Int] = []
                try child.forEach(FetchRequest<Entry>(), batchSize: 1) { entry in
                    seen.append(entry.count)
                    guard seen.count == 1 else { return }
                    for other in try child.fetch(FetchRequest<Entry>(where: "count == 2")) { child.delete(other) }
                    try child.save()
                }
                try expectEqual(seen, [0, 1, 3])
            }
        },
        ConformanceCase("forEach filters, skips and limits, and ends when its closure throws") { bench in
            struct Enough: Error {}
            try await bench.container().perform { context in
                try insertEntries(50, context)
                var counts: [Int] = []
                let request = try FetchRequest<Entry>(
                    where: "count >= %d", 10, sortedBy: [.ascending("count")], limit: 20, offset: 5)
                try context.forEach(request, batchSize: 7) { counts.append($0.count) }
                try expectEqual(counts, Array(15..<35))
                var visited = 0
                do {
                    try context.forEach(FetchRequest<Entry>(), batchSize: 7) { _ in
                        visited += 1
                        if visited == 10 { throw Enough() }
                    }
                    throw ConformanceFailure(description: "the closure's error was swallowed")
                } catch is Enough {}
                try expectEqual(visited, 10)
                try context.forEach(FetchRequest<Location>()) { _ in visited += 1 }
                try expectEqual(visited, 10)
                try expectError(.invalidRequest) {
                    try context.forEach(FetchRequest<Entry>(), batchSize: 0) { _ in }
                }
            }
        },
        ConformanceCase("batches of a fetch load their pages when these are looked at") { bench in
            try await bench.container().perform { context in
                try insertEntries(1000, context)
                var request = FetchRequest<Entry>(sortedBy: [.descending("count")])
                request.fetchBatchSize = 50
                let entries = try context.fetchBatches(request)
                try expect(entries.count == 1000 && context.registeredObjectCount == 0)
                try expectEqual(entries[10].count, 989)
                try expectEqual(context.registeredObjectCount, 50)
                try expectEqual(entries.map(\.count), Array((0..<1000).reversed()))
                try expect(context.registeredObjectCount <= 200)
                try expect(try entries.object(at: 0) === entries[0])
                try expectEqual(entries[995..<1000].map(\.count), [4, 3, 2, 1, 0])
                let id = entries[500].objectID
                try context.execute(BatchDeleteRequest(objectIDs: [id]))
                try expect(entries[500].managedObjectContext == nil && entries[501].count == 498)
                request.fetchBatchSize = 0
                try expectError(.invalidRequest) { _ = try context.fetchBatches(request) }
            }
        },
    ]

    /// Inserts entries with rising counts.
    static func insertEntries(_ count: Int, _ context: ManagedObjectContext, from start: Int = 0) throws {
        var number = start
        try context.execute(
            BatchInsertRequest(entityName: "Entry") { row in
                guard number < start + count else { return true }
                row.set("count", to: number)
                row["text"] = "row"
                number += 1
                return false
            })
    }
}
