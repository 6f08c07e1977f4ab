import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

/// The generator of `PredicateDifferentialTests`, which compares memory with SQLite, so that all three give the same
/// answers.
@Suite("predicates in memory and in PostgreSQL")
struct PredicateAgreementTests {
    /// How many queries a run asks, in parts that run beside each other; `BACKSTITCH_QUERIES` asks for more.
    private static let queries =
        (ProcessInfo.processInfo.environment["BACKSTITCH_QUERIES"].flatMap(Int.init) ?? 20_000) / parts
    private static let parts = 4
    private static let queriesPerLibrary = 200
    private static let seed = SeededGenerator.seed()

    @Test(
        "random predicates, orders and limits give the same objects in the same order in memory and in PostgreSQL",
        arguments: 0..<parts)
    func sameAnswers(part: Int) async throws {
        let seed = Self.seed
        try await onThread {
            var seeds = SeededGenerator(seed: seed + UInt64(part))
            let store = try TestDatabase.store(.library)
            defer { try? store.close() }
            var asked = 0, telling = 0
            while asked < Self.queries {
                var random = SeededGenerator(seed: seeds.next())
                let library = try Library.random(&random)
                try store.fill(with: library)
                var predicates = RandomPredicates(library, random)
                for _ in 0..<min(Self.queriesPerLibrary, Self.queries - asked) {
                    let query = StoreQuery(library, store, &predicates)
                    let found = try #require(try query.compare(), "BACKSTITCH_SEED=\(seed), query \(asked)")
                    if found > 0, found < library.objects[query.entity.name]?.count ?? 0 { telling += 1 }
                    asked += 1
                }
            }
            print("counted: \(asked) queries in memory and in PostgreSQL, part \(part) of BACKSTITCH_SEED=\(seed)")
            #expect(telling > asked / 4, "BACKSTITCH_SEED=\(seed)")
        }
    }

    @Test("IN with 10,000 values of each type finds the rows that have one")
    func longLists() async throws {
        try await onThread {
            let store = try TestDatabase.store(.library)
            defer { try? store.close() }
            var random = SeededGenerator(seed: 2)
            let library = try Library()
            for number in 0..<400 {
                let object = try library.insert("Note", key: random.key())
                try object.set("title", .string("note \(number)"))
                try object.set("size", .int(Int64(number)))
                try object.set("score", .double(Double(number)))
                try object.set("price", .decimal(Decimal(number)))
                try object.set("created", .date(Date(milliseconds: Int64(number))))
                try object.set("serial", .uuid(random.key().uuid))
                try object.set("raw", .data(Data("\(number)".utf8)))
            }
            library.connect()
            try store.fill(with: library)
            let notes = try #require(library.objects["Note"])
            for key in ["title", "size", "score", "price", "created", "serial", "raw", "SELF"] {
                var constants = try notes.prefix(300).map { note in
                    key == "SELF"
                        ? Value.object(note.objectID) : try note.predicateValue(note.entity.requireProperty(named: key))
                }
                for number in constants.count..<10_000 { constants.append(Self.other(constants[0], number, &random)) }
                constants.shuffle(using: &random)
                let predicate = FetchPredicate.comparison(
                    FetchComparison(.keyPath(FetchKeyPath(key)), .in, .values(constants)))
                let request = StoreFetchRequest(
                    entity: notes[0].entity, predicate: try predicate.resolved(for: notes[0].entity, in: library.model))
                #expect(try store.fetchKeys(request) == notes.prefix(300).map(\.objectID.key).sorted(), "\(key)")
            }
        }
    }

    @Test("patterns of MATCHES that repeat more than 255 times, or are odd, mean the same")
    func patterns() async throws {
        try await onThread {
            let store = try TestDatabase.store(.library)
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

/// A random query, asked in memory and of a store.
private struct StoreQuery {
    let entity: ResolvedEntity
    let predicate: FetchPredicate
    let order: [FetchSortDescriptor]
    let limit: Int?
    let offset: Int
    let library: Library
    let store: PostgreSQLStore

    init(_ library: Library, _ store: PostgreSQLStore, _ predicates: inout RandomPredicates<SeededGenerator>) {
        self.library = library
        self.store = store
        let entities = library.model.entities
        entity = predicates.random.once(in: 2) ? entities[0] : predicates.random.pick(entities)
        predicate = predicates.predicate(entity)
        order = predicates.order(entity)
        limit = predicates.random.once(in: 3) ? predicates.random.pick([0, 1, 3, 10]) : nil
        offset = predicates.random.once(in: 4) ? predicates.random.pick([1, 5, 100]) : 0
    }

    /// How many objects it finds; nil, with an issue recorded, where the answers differ.
    func compare() throws -> Int? {
        do {
            let resolved = try predicate.resolved(for: entity, in: library.model)
            let order = try self.order.map { try $0.resolved(for: entity, in: library.model) }
            let matching = try (library.objects[entity.name] ?? []).filter { try resolved.evaluate($0) }
            let expected = try Array(
                order.sorted(matching).map(\.objectID.key).dropFirst(offset).prefix(limit ?? .max))
            let request = StoreFetchRequest(
                entity: entity, predicate: resolved, sortDescriptors: order, limit: limit, offset: offset)
            let stored = try store.fetchKeys(request)
            let count = try store.count(request)
            if stored == expected, count == expected.count { return expected.count }
            let statement = try FetchStatements(ModelStatements(library.model, dialect: .postgreSQL)).keys(request)
            Issue.record(
                """
                memory finds \(expected.count), PostgreSQL \(stored.count) and counts \(count): \(entity.name) where \(predicate) \
                sorted by \(order.map { "\($0.keyPath) \($0.ascending)" }), limit \(String(describing: limit)), offset \(offset)
                \(statement.text)
                \(statement.parameters)
                only in memory: \(describe(Set(expected).subtracting(stored)))
                only in PostgreSQL: \(describe(Set(stored).subtracting(expected)))
                """)
            return nil
        } catch {
            Issue.record(error, "\(entity.name) where \(predicate)")
            return nil
        }
    }

    private func describe(_ keys: Set<ObjectKey>) -> String {
        let objects = (library.objects[entity.name] ?? []).filter { keys.contains($0.objectID.key) }
        let lines: [String] = objects.prefix(2).map { object in
            zip(object.entity.columns, object.values).map { "\($0.name): \($1)" }.joined(separator: ", ")
        }
        return lines.joined(separator: "\n  ")
    }
}

extension PostgreSQLStore {
    /// Replaces all rows and links by a library's.
    fileprivate func fill(with library: Library) throws {
        let entities = configuration.model.entities
        for entity in entities {
            try execute("DELETE FROM \"\(entity.name)\"")
            for property in entity.relationships where property.relationship?.storage == .ownedLinks {
                try execute("DELETE FROM \"\(entity.name).\(property.name)\"")
            }
        }
        try writeJournal(author: "test") { journal in
            for entity in entities {
                var builder = RowBatchBuilder(entity: entity)
                for object in library.objects[entity.name] ?? [] {
                    builder.beginRow(key: object.objectID.key, version: 1)
                    for value in object.values { builder.append(value) }
                }
                try journal.upsert(builder.finish())
                for property in entity.relationships where property.relationship?.storage == .ownedLinks {
                    let links = (library.links["\(entity.name).\(property.name)"] ?? []).map {
                        LinkChange.Link(source: $0.source.objectID.key, target: $0.target.objectID.key)
                    }
                    try journal.change(LinkChange(entity: entity, property: property, added: links))
                }
            }
        }
    }
}
