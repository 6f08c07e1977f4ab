import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// Every database gives the answers of the evaluator in memory, so all give the same.
@Suite("predicates in memory and in the databases")
struct PredicateAgreementTests {
    /// How many queries a run asks of each database, in parts that run beside each other; `BACKSTITCH_QUERIES` asks for
    /// more.
    private static let queries =
        Effort.size("QUERIES", usual: 4_000, whole: 40_000) / parts
    private static let parts = 4
    private static let queriesPerLibrary = 200
    private static let seed = SeededGenerator.seed()

    @Test(
        "random predicates, orders and limits give the same objects in the same order in memory and in the database",
        arguments: TestedDatabase.all, 0..<parts)
    func sameAnswers(_ database: TestedDatabase, part: Int) async throws {
        let seed = Self.seed
        try await onThread {
            var seeds = SeededGenerator(seed: seed + UInt64(part))
            let store = try database.open(.library)
            defer { try? store.close() }
            var asked = 0, telling = 0
            while asked < Self.queries {
                var random = SeededGenerator(seed: seeds.next())
                let library = try Library.random(&random)
                try store.fill(with: library)
                var predicates = RandomPredicates(library, random)
                for _ in 0..<min(Self.queriesPerLibrary, Self.queries - asked) {
                    let query = StoreQuery(library, store, database, &predicates)
                    let found = try #require(
                        try query.compare(), "BACKSTITCH_SEED=\(seed), part \(part), query \(asked)")
                    if found > 0, found < library.objects[query.entity.name]?.count ?? 0 { telling += 1 }
                    asked += 1
                }
            }
            print("counted: \(asked) queries in memory and in \(database), part \(part) of BACKSTITCH_SEED=\(seed)")
            // Most queries that find nothing or everything would prove little.
            #expect(telling > asked / 4, "BACKSTITCH_SEED=\(seed), part \(part)")
        }
    }

    @Test(
        "IN with 40,000 values of each type finds the rows that have one", arguments: TestedDatabase.all)
    func longLists(_ database: TestedDatabase) async throws {
        try await onThread {
            let store = try database.open(.library)
            defer { try? store.close() }
            var random = SeededGenerator(seed: 2)
            let library = try Library.ofNotes(500, &random)
            try store.fill(with: library)
            let notes = try #require(library.objects["Note"])
            for key in ["title", "size", "score", "price", "created", "serial", "raw", "SELF"] {
                var constants = try notes.prefix(300).map { note in
                    key == "SELF"
                        ? Value.object(note.objectID) : try note.predicateValue(note.entity.requireProperty(named: key))
                }
                for number in constants.count..<40_000 { constants.append(Self.other(constants[0], number, &random)) }
                constants.shuffle(using: &random)
                let predicate = FetchPredicate.comparison(
                    FetchComparison(.keyPath(FetchKeyPath(key)), .in, .values(constants)))
                func request(_ predicate: FetchPredicate) throws -> StoreFetchRequest {
                    StoreFetchRequest(
                        entity: notes[0].entity,
                        predicate: try predicate.resolved(for: notes[0].entity, in: library.model))
                }
                #expect(
                    try store.fetchKeys(request(predicate)) == notes.prefix(300).map(\.objectID.key).sorted(), "\(key)")
                #expect(try store.count(request(.not(predicate))) == 200, "\(key)")
                let resolved = try predicate.resolved(for: notes[0].entity, in: library.model)
                #expect(try notes.filter { try resolved.evaluate($0) }.count == 300, "\(key)")
            }
        }
    }

    @Test(
        "patterns of MATCHES that repeat more than 255 times, or are odd, mean the same", arguments: TestedDatabase.all)
    func patterns(_ database: TestedDatabase) async throws {
        try await onThread {
            let store = try database.open(.library)
            defer { try? store.close() }
            let library = try Library()
            var random = SeededGenerator(seed: 3)
            let texts =
                RandomValues.texts + [
                    String(repeating: "a", count: 300), String(repeating: "ab", count: 400), "a-b", "x\ny", "{}", "^$",
                    "(?i)a",
                    "***=a",
                ]
            for text in texts { try library.insert("Note", key: random.key()).set("title", .string(text)) }
            try store.fill(with: library)
            let notes = try #require(library.objects["Note"])
            for pattern in [
                "a{300}", "a{256,}", "(ab){1,1000}", "a{0}", "(a|b)*", "[^a]+", "[^\\x{0}-\\x{10FFFF}]", ".*", "[\\w]+",
                "\\(\\?i\\)a",
                "\\*\\*\\*=a", "x.y", "[\\s\\S]+", "(|a)+", "((a?)?)*", "[a\\-z]+", "É|e", "\\u00e9", "\\D*", "[\\[-]*",
            ] {
                for options in ["", "[c]", "[d]", "[cd]"] {
                    guard let predicate = try? FetchPredicate(format: "title MATCHES\(options) %@", pattern) else {
                        continue
                    }
                    let resolved = try predicate.resolved(for: notes[0].entity, in: library.model)
                    let expected = try notes.filter { try resolved.evaluate($0) }.map(\.objectID.key).sorted()
                    let found = try store.fetchKeys(StoreFetchRequest(entity: notes[0].entity, predicate: resolved))
                    #expect(found == expected, "\(pattern) \(options)")
                }
            }
        }
    }

    @Test(
        "values of unlike types are never equal, in memory and in the database: the rule of each pair of types",
        arguments: TestedDatabase.all)
    func unlikeTypes(_ database: TestedDatabase) async throws {
        try await onThread {
            let store = try database.open(.library)
            defer { try? store.close() }
            var random = SeededGenerator(seed: 4)
            let library = try Library.ofNotes(60, &random)
            try store.fill(with: library)
            let notes = try #require(library.objects["Note"])
            func expect(_ predicate: FetchPredicate, _ fits: (LibraryObject) throws -> Bool) throws {
                let resolved = try predicate.resolved(for: notes[0].entity, in: library.model)
                let expected = try notes.filter(fits).map(\.objectID.key).sorted()
                let request = StoreFetchRequest(entity: notes[0].entity, predicate: resolved)
                #expect(try store.fetchKeys(request) == expected, "\(predicate)")
                #expect(try notes.filter { try resolved.evaluate($0) }.map(\.objectID.key).sorted() == expected)
            }
            func isNil(_ note: LibraryObject, _ key: String) throws -> Bool {
                let value = try note.predicateValue(note.entity.requireProperty(named: key))
                if case .double(let number) = value { return number.isNaN }
                return value.isNull
            }
            for (key, kind) in Self.kinds {
                let path = FetchExpression.keyPath(FetchKeyPath(key))
                func compare(_ comparison: FetchComparison.Operator, _ right: FetchExpression) -> FetchPredicate {
                    .comparison(FetchComparison(path, comparison, right))
                }
                for (constant, other) in Self.constants where other != kind {
                    try expect(compare(.equal, .value(constant))) { _ in false }
                    try expect(compare(.notEqual, .value(constant))) { _ in true }
                    try expect(.not(compare(.equal, .value(constant)))) { _ in true }
                    try expect(compare(.in, .list([.value(constant)]))) { _ in false }
                    try expect(compare(.in, .list([.value(constant), .value(.null)]))) { try isNil($0, key) }
                    try expect(.not(compare(.in, .list([.value(constant)])))) { _ in true }
                    #expect(throws: BackstitchError.self) {
                        try compare(.less, .value(constant)).resolved(for: notes[0].entity, in: library.model)
                    }
                }
                for (right, other) in Self.kinds where other != kind {
                    func areNil(_ note: LibraryObject) throws -> Bool { try isNil(note, key) && isNil(note, right) }
                    let side = FetchExpression.keyPath(FetchKeyPath(right))
                    try expect(compare(.equal, side), areNil)
                    try expect(compare(.notEqual, side)) { try !areNil($0) }
                }
            }
        }
    }

    private static let kinds = [
        ("title", "text"), ("size", "number"), ("score", "number"), ("price", "number"), ("done", "boolean"),
        ("created", "date"), ("serial", "uuid"), ("raw", "bytes"),
    ]

    private static let constants: [(Value, String)] = [
        (.string("5"), "text"), (.int(5), "number"), (.double(0.5), "number"), (.decimal(5), "number"),
        (.bool(true), "boolean"), (.date(Date(milliseconds: 5)), "date"), (.data(Data([5])), "bytes"),
        (.uuid(ObjectKey(high: 5, low: 5).uuid), "uuid"),
        (.object(ObjectID(entityName: "Tag", key: ObjectKey(high: 5, low: 5))), "object"),
    ]

    private static func other(_ value: Value, _ number: Int, _ random: inout SeededGenerator) -> Value {
        switch value {
        case .string: .string("other \(number) \"\\\n")
        case .int: .int(Int64(number) + 1_000)
        case .double: .double(Double(number) + 1_000.5)
        case .decimal: .decimal(Decimal(number) + 1_000)
        case .date: .date(Date(milliseconds: Int64(number) + 1_000))
        case .uuid: .uuid(random.key().uuid)
        case .data: .data(Data("other \(number)".utf8))
        default: .object(ObjectID(entityName: "Note", key: random.key()))
        }
    }
}
