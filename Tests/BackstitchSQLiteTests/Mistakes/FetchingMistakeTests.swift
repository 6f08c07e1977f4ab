import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("mistakes in fetching", .timeLimit(.minutes(5)))
struct FetchingMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("a misspelt entity", throws: "\"Bok\"", "did you mean Book?") {
            try await fetch(FetchRequest<ManagedObject>(entityName: "Bok"))
        },
        Mistake("the class's name in place of the entity's", throws: "\"Volume\"", "it has Book, Writer, Label") {
            try await fetch(FetchRequest<ManagedObject>(entityName: "Volume"))
        },
        Mistake("a class without an entity", throws: "class Stranger", "class: Stranger.self", "entityName") {
            try await fetch(FetchRequest<Stranger>())
        },
        Mistake("the class of another entity", throws: "objects of Writer are Writer", "not Volume") {
            try await fetch(FetchRequest<Volume>(entityName: "Writer"))
        },
        Mistake("a misspelt key", throws: "entity Book has no property \"titel\"", "did you mean title?") {
            try await find("titel == 'Dune'")
        },
        Mistake("a misspelt key at the end of a path", throws: "entity Writer", "\"nmae\"", "did you mean name?") {
            try await find("writer.nmae == 'Herbert'")
        },
        Mistake("a text without quotes", throws: "\"Dune\"", "quotes") { try await find("title == Dune") },
        Mistake("a number compared with a text", throws: "pages", "the string \"many\"", "pass an integer") {
            try await find("pages > %@", "many")
        },
        Mistake("a date compared with a text", throws: "bought", "the string \"2026-01-01\"", "pass a Date") {
            try await find("bought > %@", "2026-01-01")
        },
        Mistake("a to-many relationship without ANY", throws: "labels.name", "ANY") {
            try await find("labels.name == 'new'")
        },
        Mistake("a format that does not parse", throws: "expected an operator", "title Dune", "^") {
            try await find("title Dune")
        },
        Mistake("too few arguments", throws: "an argument for this %@", "only 1") {
            try await find("title == %@ AND isbn == %@", "Dune")
        },
        Mistake("too many arguments", throws: "uses 1 of 2 arguments") {
            try await find("title == %@", "Dune", "Emma")
        },
        Mistake("a percent sign of another kind", throws: "%s", "%@") { try await find("title == %s", "Dune") },
        Mistake("an order by a to-many relationship", throws: "labels", "to-many", "order by an attribute") {
            try await fetch(FetchRequest<Volume>(sortedBy: [.ascending("labels")]))
        },
        Mistake("an order by a to-one relationship", throws: "writer", "order by an attribute") {
            try await fetch(FetchRequest<Volume>(sortedBy: [.ascending("writer")]))
        },
        Mistake("an order by what is not there", throws: "\"titel\"", "did you mean title?") {
            try await fetch(FetchRequest<Volume>(sortedBy: [.ascending("titel")]))
        },
        Mistake("a limit below zero", throws: "limit cannot be -1", "nil for all") {
            try await fetch(FetchRequest<Volume>(limit: -1))
        },
        Mistake("a relationship to load along that is none", throws: "title", "not a relationship") {
            var request = FetchRequest<Volume>()
            request.relationshipKeyPathsForPrefetching = ["title"]
            try await fetch(request)
        },
        Mistake("an object of another store", throws: "the store has no object Book/", "belongs to another store") {
            let id = try await Bookcase.with { container in
                try await container.perform { context in
                    let book = Volume("Dune", in: context)
                    try context.save()
                    return book.objectID
                }
            }
            try await Bookcase.edit { _ = try $0.existingObject(with: id) }
        },
        Mistake("an object of another model", throws: "\"Film\"", "it has Book, Writer, Label") {
            let id = ObjectID(entityName: "Film", key: ObjectIDGenerator().next())
            try await Bookcase.edit { _ = try $0.existingObject(with: id) }
        },
        Mistake("a value that a fetched row does not have", logs: "\"titel\"", "did you mean title?") { _ in
            let rows = try await Bookcase.with { container in
                try await container.perform { context in
                    _ = Volume("Dune", in: context)
                    try context.save()
                    return try context.fetch(DictionaryFetchRequest(entityName: "Book", [.key("title")]))
                }
            }
            for row in rows { #expect(row["titel"] == .null) }
        },
    ]

    private static func find(_ format: String, _ arguments: (any PredicateArgument & Sendable)...) async throws {
        let predicate = try FetchPredicate(format: format, arguments: arguments)
        try await fetch(FetchRequest<Volume>(predicate: predicate))
    }

    private static func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) async throws {
        try await Bookcase.edit { context in
            _ = Volume("Dune", in: context)
            _ = Writer(context: context)
            try context.save()
            _ = try context.fetch(request)
        }
    }
}
