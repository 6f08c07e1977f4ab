import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// The time of operations on relationships, for a number of members and for eight times as many. It is the thread's
/// processor time, so other work on the machine does not matter.
@Suite("operations on relationships take time in proportion to their members", .serialized)
struct RelationshipScalingTests {
    @Test("unordered", arguments: RelationshipOperation.plain, ["own", "fav"])
    func withoutOrder(_ operation: RelationshipOperation, _ key: String) async throws {
        try await compare(operation, key, ordered: false)
    }

    @Test("ordered", arguments: RelationshipOperation.plain + RelationshipOperation.ofOrders, ["own", "fav"])
    func withOrder(_ operation: RelationshipOperation, _ key: String) async throws {
        try await compare(operation, key, ordered: true)
    }

    private func compare(_ operation: RelationshipOperation, _ key: String, ordered: Bool) async throws {
        let few = try await time(of: operation, key, ordered, 250),
            many = try await time(of: operation, key, ordered, 2_000)
        let name = "\(operation.testDescription), \(key), \(ordered ? "ordered" : "unordered")"
        print("counted: \(name): \(Int(many * 1e6)) µs for 2,000, \(many / few) times as long as for 250")
        // Eight times as long, and more on slow memory. Quadratic growth would give 64 times.
        #expect(many / few < 24, "\(few) for 250, and \(many) for 2,000")
    }

    /// The shorter of two times in seconds.
    private func time(of operation: RelationshipOperation, _ key: String, _ ordered: Bool, _ count: Int) async throws
        -> Double
    {
        let model = Self.model(ordered: ordered)
        var times: [Double] = []
        for _ in 0..<2 {
            let container = try PersistentContainer(model: model, store: .init(type: .sqlite))
            times.append(
                try await container.perform { context in
                    let list = try context.insertObject(entityName: "List")
                    let rows = try (0..<count).map { _ in try context.insertObject(entityName: "Row") }
                    if operation.isLinked {
                        for row in rows { try list.add(row, to: key) }
                    }
                    // Some operations work on unsaved objects, some on saved ones.
                    if !operation.isUnsaved { try context.save() }
                    let start = ProcessorTime.ofThread
                    try operation.run(list, rows, key)
                    let time = ProcessorTime.ofThread - start
                    context.rollback()
                    return time
                })
            try container.close()
        }
        return try #require(times.min())
    }

    private static func model(ordered: Bool) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "List",
                [
                    .toMany("own", "Row", inverse: "list", delete: .cascade, ordered: ordered),
                    .toMany("fav", "Row", inverse: "favOf", ordered: ordered),
                ]),
            EntityDescription(
                "Row",
                [.toOne("list", "List", inverse: "own"), .toMany("favOf", "List", inverse: "fav", ordered: ordered)]),
        ])
    }
}

/// Time that the processor has worked.
private enum ProcessorTime {
    /// For this thread, in seconds.
    static var ofThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
