import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

/// Texts whose own operations in `String` and in databases take quadratic time.
@Suite("long texts in the databases") struct LongTextTests {
    /// The texts of an entity: equal except for their ends.
    private struct Texts: Sendable {
        let entity: String
        let one: String
        let other: String
    }

    private struct Request: Sendable {
        let name: String
        let body: @Sendable (ManagedObjectContext, Texts) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (ManagedObjectContext, Texts) throws -> Void) {
            (self.name, self.body) = (name, body)
        }
    }

    /// Two entities, so that a request about one never reads a text of the other.
    private static func model(isIndexed: Bool) -> ManagedObjectModel {
        ManagedObjectModel(
            ["Letters", "Long"].map { name in
                let entity = EntityDescription(
                    name, unique: isIndexed ? [["title"]] : [], [.attribute("title", .string)])
                return isIndexed
                    ? entity.indexed(.ascending("title", options: [.caseInsensitive, .diacriticInsensitive])) : entity
            })
    }

    private static let save = Request("a save") { context, texts in
        for text in [texts.one, texts.other] {
            try context.insertObject(entityName: texts.entity).setValue(.string(text), forKey: "title")
        }
        try context.save()
    }

    private static let uniqueValues = [
        Request("a unique value of another object") { context, texts in
            try context.insertObject(entityName: texts.entity).setValue(.string(texts.one), forKey: "title")
            defer { context.rollback() }
            let error = #expect(throws: BackstitchError.self) { try context.save() }
            #expect(error?.code == .constraint)
        },
        Request("a batch insert of a unique value of another object") { context, texts in
            context.mergePolicy = .mergeByPropertyObjectTrump
            defer { context.mergePolicy = .error }
            try context.execute(
                BatchInsertRequest(entityName: texts.entity, objects: [["title": .string(texts.one)]]))
        },
    ]

    private static let predicates = [
        predicate("title == %@", 1), predicate("title ==[c] %@", 1), predicate("title ==[cd] %@"),
        predicate("title <[cd] %@"), predicate("title IN[cd] {%@, 'x'}"), predicate("title CONTAINS[cd] %@"),
        predicate("title BEGINSWITH[c] %@", 1), predicate("title ENDSWITH[d] %@"),
        predicate("title LIKE[cd] '*x*'", 0), predicate("title MATCHES[cd] '.*x'", 0),
        predicate("title MATCHES '.*x.*'", 0),
    ]

    private static func predicate(_ format: String, _ count: Int? = nil) -> Request {
        Request(format) { context, texts in
            let predicate = try FetchPredicate(format: format, arguments: format.contains("%@") ? [texts.one] : [])
            let request = FetchRequest<ManagedObject>(entityName: texts.entity, predicate: predicate)
            let found = try context.count(for: request)
            #expect((count ?? found) == found, "\(format) in \(texts.entity)")
        }
    }

    private static func order(_ options: FetchTextOptions) -> Request {
        Request("an order [\(options)]") { context, texts in
            let order = FetchSortDescriptor.descending("title", options: options)
            let request = FetchRequest<ManagedObject>(entityName: texts.entity, sortedBy: [order], limit: 2)
            let found = try context.fetch(request)
            #expect(found.count == 2)
        }
    }

    private static let dictionaries = [
        Request("distinct rows") { context, texts in
            let request = DictionaryFetchRequest(
                entityName: texts.entity, [.key("title")], sortedBy: [.ascending("title")],
                returnsDistinctResults: true)
            let found = try context.fetch(request)
            #expect(found.count == 2)
        },
        Request("groups") { context, texts in
            let request = DictionaryFetchRequest(
                entityName: texts.entity, [.key("title"), .max("title", as: "last"), .count(as: "count")],
                groupBy: ["title"], having: try FetchPredicate(format: "title != 'x'"))
            let found = try context.fetch(request)
            #expect(found.count == 2)
        },
        Request("groups with an unsaved object") { context, texts in
            var request = DictionaryFetchRequest(
                entityName: texts.entity, [.key("title"), .count(as: "count")], groupBy: ["title"])
            request.includesPendingChanges = true
            defer { context.rollback() }
            try context.insertObject(entityName: texts.entity).setValue(.string(texts.other), forKey: "title")
            let found = try context.fetch(request)
            #expect(found.count == 2)
        },
    ]

    @Test(
        "are saved, found and sorted in the time of as many letters", arguments: TestedDatabase.all, LongText.allCases)
    func linear(_ database: TestedDatabase, _ text: LongText) async throws {
        let orders = [Self.order([]), Self.order([.caseInsensitive, .diacriticInsensitive])]
        // PostgreSQL folds letters in a loop over the alphabets.
        let bytes = database.dialect is PostgreSQLDialect ? 1 << 16 : 1 << 17
        try await compare(
            database, text.of(bytes), Self.model(isIndexed: true),
            [Self.save] + Self.uniqueValues + Self.predicates + orders + Self.dictionaries)
    }

    /// An index of PostgreSQL has no room for such a text.
    @Test("of a megabyte are no exception", arguments: TestedDatabase.all)
    func megabyte(_ database: TestedDatabase) async throws {
        try await compare(
            database, LongText.marks.of(1 << 20), Self.model(isIndexed: false),
            [Self.save, Self.predicate("title ==[cd] %@"), Self.order(.diacriticInsensitive)] + Self.dictionaries)
    }

    @Test("of marks that no folding removes are sorted by their classes in good time", arguments: TestedDatabase.all)
    func otherMarks(_ database: TestedDatabase) async throws {
        let long = String(repeating: "\u{1DC0}\u{1DC2}", count: 1 << 15)
        let requests = [Self.save, Self.predicate("title ==[cd] %@", 1)]
        try await compare(database, long, Self.model(isIndexed: false), requests, factor: 12)
    }

    /// Carries requests out with letters, then with as many bytes of the long text.
    private func compare(
        _ database: TestedDatabase, _ long: String, _ model: ManagedObjectModel, _ requests: [Request],
        factor: Int = 3
    ) async throws {
        let letters = String(repeating: "ж", count: long.utf8.count / 2)
        let usual = Texts(entity: "Letters", one: letters + "a", other: letters + "b")
        let texts = Texts(entity: "Long", one: long + "a", other: long + "b")
        let container = try database.container(model)
        try await container.perform { context in
            for request in requests {
                func time(_ texts: Texts) throws -> Duration {
                    let start = ContinuousClock.now
                    try request.body(context, texts)
                    return ContinuousClock.now - start
                }
                let allowed = try time(usual) * factor + .milliseconds(500)
                var spent = try time(texts)
                // Other work on the machine takes time as well, but seldom twice.
                if spent > allowed, request.name != Self.save.name { spent = min(spent, try time(texts)) }
                #expect(spent <= allowed, "\(request.name) in \(database): \(spent), allowed \(allowed)")
            }
        }
        try container.close()
    }
}
