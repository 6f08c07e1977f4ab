import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("predicates in memory and in SQLite")
struct PredicateDifferentialTests {
    /// How many queries a run asks, in parts that run beside each other; `BACKSTITCH_QUERIES` asks for more.
    private static let queries =
        (ProcessInfo.processInfo.environment["BACKSTITCH_QUERIES"].flatMap(Int.init) ?? 20_000) / parts
    private static let parts = 4
    private static let queriesPerLibrary = 200
    private static let seed = SeededGenerator.seed()

    @Test(
        "random predicates, orders and limits give the same objects in the same order in memory and in SQLite",
        arguments: 0..<parts)
    func sameAnswers(part: Int) async throws {
        let seed = Self.seed
        try await onThread {
            var seeds = SeededGenerator(seed: seed + UInt64(part))
            var asked = 0, telling = 0
            while asked < Self.queries {
                var random = SeededGenerator(seed: seeds.next())
                let library = try Library.random(&random)
                let database = try PredicateDatabase(library)
                var predicates = RandomPredicates(library, random)
                for _ in 0..<min(Self.queriesPerLibrary, Self.queries - asked) {
                    let entity =
                        predicates.random.once(in: 2)
                        ? library.model.entities[0] : predicates.random.pick(library.model.entities)
                    let query = Query(entity, &predicates)
                    let found = try #require(
                        try query.compare(library, database), "BACKSTITCH_SEED=\(seed), part \(part), query \(asked)")
                    if found > 0, found < library.objects[entity.name]?.count ?? 0 { telling += 1 }
                    asked += 1
                }
            }
            print("counted: \(asked) queries in memory and in SQLite, part \(part) of BACKSTITCH_SEED=\(seed)")
            // Most queries that find nothing or everything would prove little.
            #expect(telling > asked / 4, "BACKSTITCH_SEED=\(seed), part \(part)")
        }
    }
}

private struct Query {
    let entity: ResolvedEntity
    let predicate: FetchPredicate
    let order: [FetchSortDescriptor]
    let limit: Int?
    let offset: Int

    init(_ entity: ResolvedEntity, _ predicates: inout RandomPredicates<SeededGenerator>) {
        self.entity = entity
        predicate = predicates.predicate(entity)
        order = predicates.order(entity)
        limit = predicates.random.once(in: 3) ? predicates.random.pick([0, 1, 3, 10]) : nil
        offset = predicates.random.once(in: 4) ? predicates.random.pick([1, 5, 100]) : 0
    }

    /// How many objects it finds; nil, with an issue recorded, where the answers differ.
    func compare(_ library: Library, _ database: PredicateDatabase) throws -> Int? {
        do {
            let expected = try inMemory(library)
            let stored = try database.keys(of: entity, where: predicate, sortedBy: order, limit: limit, offset: offset)
            let count = try database.count(of: entity, where: predicate, limit: limit, offset: offset)
            if stored == expected, count == expected.count { return expected.count }
            let selection = try database.selection(of: entity, where: predicate, sortedBy: order)
            Issue.record(
                """
                memory finds \(expected.count), SQLite \(stored.count) and counts \(count): \(entity.name) where \(predicate) \
                sorted by \(order.map { "\($0.keyPath) \($0.ascending)" }), limit \(String(describing: limit)), offset \(offset)
                \(selection.statement(columns: "t0._id").sql)
                only in memory: \(describe(Set(expected).subtracting(stored), library))
                only in SQLite: \(describe(Set(stored).subtracting(expected), library))
                """)
            return nil
        } catch {
            Issue.record(error, "\(entity.name) where \(predicate)")
            return nil
        }
    }

    private func inMemory(_ library: Library) throws -> [ObjectKey] {
        let resolved = try predicate.resolved(for: entity, in: library.model)
        // Encoding and resolving again change nothing.
        let decoded = try JSONDecoder().decode(FetchPredicate.self, from: JSONEncoder().encode(resolved))
        #expect(decoded == resolved)
        let again = try decoded.resolved(for: entity, in: library.model)
        #expect(again == resolved)
        let matching = try (library.objects[entity.name] ?? []).filter { try again.evaluate($0) }
        let sorted = try order.map { try $0.resolved(for: entity, in: library.model) }.sorted(matching)
        return Array(sorted.map(\.objectID.key).dropFirst(offset).prefix(limit ?? .max))
    }

    private func describe(_ keys: Set<ObjectKey>, _ library: Library) -> String {
        let objects = (library.objects[entity.name] ?? []).filter { keys.contains($0.objectID.key) }
        let lines: [String] = objects.prefix(2).map { object in
            zip(object.entity.columns, object.values).map { "\($0.name): \($1)" }.joined(separator: ", ")
        }
        return lines.joined(separator: "\n  ")
    }
}
