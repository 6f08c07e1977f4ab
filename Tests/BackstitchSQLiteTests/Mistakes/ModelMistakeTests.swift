import Backstitch
import BackstitchTestKit
import Testing

@Suite("mistakes in a model", .timeLimit(.minutes(5)))
struct ModelMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("a relationship without an inverse", throws: "Book.writer needs an inverse", "\"book\"") {
            try check([
                EntityDescription("Book", [.toOne("writer", "Writer", inverse: "book")]),
                EntityDescription("Writer", [.attribute("name", .string)]),
            ])
        },
        Mistake("a relationship to nowhere", throws: "Book.writer leads to Author", "does not have") {
            try check([EntityDescription("Book", [.toOne("writer", "Author", inverse: "books")])])
        },
        Mistake("a default of another type", throws: "Book.pages", "does not fit", "the string \"none\"") {
            try check([EntityDescription("Book", [.attribute("pages", .integer16, default: "none")])])
        },
        Mistake("two entities with one class", throws: "Book and Film", "Volume", "a class of its own") {
            try check([
                EntityDescription("Book", class: Volume.self, [.attribute("title", .string)]),
                EntityDescription("Film", class: Volume.self, [.attribute("title", .string)]),
            ])
        },
        Mistake("a name that no table has", throws: "\"2nd edition\"", "begins with a letter") {
            try check([EntityDescription("2nd edition", [.attribute("title", .string)])])
        },
        Mistake("an entity that is there twice", throws: "the entity Book is defined twice") {
            try check([
                EntityDescription("Book", [.attribute("title", .string)]),
                EntityDescription("Book", [.attribute("name", .string)]),
            ])
        },
        Mistake("a unique constraint of what is not there", throws: "Book(isbm)", "names isbm") {
            try check([EntityDescription("Book", unique: [["isbm"]], [.attribute("isbn", .string)])])
        },
        Mistake("a rule of what is not there", throws: "Book.pages has an invalid rule", "did you mean pages?") {
            try check([EntityDescription("Book", [.attribute("pages", .integer16).validated("page > 0")])])
        },
        Mistake(
            "a transformer that the model does not have", throws: "Book.style", "\"json\"", "add it to `transformers`"
        ) {
            try check([EntityDescription("Book", [.attribute("style", .transformable(transformer: "json"))])])
        },
        Mistake("a changed model, and no migration", throws: "publisher was added", "migratesStoreAutomatically") {
            try await Bookcase.reopen([.migratesStoreAutomatically: false]) {
                $0.entities[0].properties.append(.attribute("publisher", .string))
            }
        },
        Mistake("an attribute that has another type", throws: "Book.pages changed from integer16 to string", "stage") {
            try await Bookcase.reopen { $0.entities[0].properties[1] = .attribute("pages", .string) }
        },
        Mistake("a new required attribute of objects that are there", throws: "Book.publisher", "default") {
            try await Bookcase.reopen {
                $0.entities[0].properties.append(.attribute("publisher", .string, optional: false))
            } after: { context in
                _ = Volume("Dune", in: context)
            }
        },
        Mistake(
            "a new unique constraint over what is there twice",
            throws: "no two Book may have the same title", "the string \"Dune\"", "the string \"Emma\"",
            "Make them different"
        ) {
            try await Bookcase.reopen {
                $0.entities[0].uniquenessConstraints.append(["title"])
            } after: { context in
                for title in ["Dune", "Emma", "Dune", "Emma", "Ulysses"] { _ = Volume(title, in: context) }
            }
        },
    ]

    private static func check(_ entities: [EntityDescription]) throws {
        _ = try ResolvedModel(ManagedObjectModel(entities))
    }
}
