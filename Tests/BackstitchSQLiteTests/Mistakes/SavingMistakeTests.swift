import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("mistakes that a save finds", .timeLimit(.minutes(5)))
struct SavingMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("a missing value", throws: "Book/", "needs a value for title", "give it a default") {
            try await save { context in _ = Volume(context: context) }
        },
        Mistake(
            "a value that breaks a rule", throws: "Book/", "pages is the integer -3", "a book has pages", "pages > 0"
        ) {
            try await save { context in Volume("Dune", in: context).pages = -3 }
        },
        Mistake(
            "a text that is too long", throws: "shelfmark is the string \"far too long\"", "shelfmark MATCHES '.{1,5}'"
        ) {
            try await save { context in
                try Volume("Dune", in: context).setValue("far too long", forKey: "shelfmark")
            }
        },
        Mistake(
            "values that break a rule between them", throws: "pages is the integer 300", "price is the decimal 1",
            "no book is as cheap"
        ) {
            try await save { context in
                let book = Volume("Dune", in: context)
                book.pages = 300
                try book.setValue(.decimal(1), forKey: "price")
            }
        },
        Mistake("a value that another object has", throws: "Book", "isbn", "the string \"0-441\"") {
            try await save { context in
                for title in ["Dune", "Emma"] { Volume(title, in: context).isbn = "0-441" }
            }
        },
        Mistake("deleting what a rule keeps", throws: "Writer/", "books") {
            try await save { context in
                let writer = Writer(context: context)
                Volume("Dune", in: context).writer = writer
                try context.save()
                context.delete(writer)
            }
        },
        Mistake("an object that somebody else has changed", throws: "Book/", "mergePolicy") {
            try await save { context in
                let book = Volume("Dune", in: context)
                try context.save()
                _ = book.title
                let other = ManagedObjectContext(coordinator: context.coordinator)
                try other.existingObject(with: book.objectID).setValue("Emma", forKey: "title")
                try other.save()
                book.title = "Ulysses"
            }
        },
        Mistake("an identity that is there already", throws: "Book/", "already") {
            try await save { context in _ = try context.insertObject(with: Volume("Dune", in: context).objectID) }
        },
        Mistake("a store that is only read", throws: "read-only", "isReadOnly") {
            try await Bookcase.withFolder { folder in
                let file = folder.appending(path: "books.sqlite")
                try PersistentContainer(model: Bookcase.model, store: .init(type: .sqlite, url: file)).close()
                var store = PersistentStoreDescription(type: .sqlite, url: file)
                store.isReadOnly = true
                let container = try PersistentContainer(model: Bookcase.model, store: store)
                defer { try? container.close() }
                try await container.perform { context in
                    _ = Volume("Dune", in: context)
                    try context.save()
                }
            }
        },
        Mistake("a link between two stores", throws: "Book/", "Writer/", "store") {
            try await Bookcase.withFolder { folder in
                var model = Bookcase.model
                model.configurations = ["One": ["Book", "Writer", "Label"], "Two": ["Book", "Writer", "Label"]]
                let stores = ["One", "Two"].map { name in
                    var store = PersistentStoreDescription(type: .sqlite, url: folder.appending(path: name))
                    store.configuration = name
                    return store
                }
                let container = try PersistentContainer(model: model, stores: stores)
                defer { try? container.close() }
                try await container.perform { context in
                    let book = Volume("Dune", in: context), writer = Writer(context: context)
                    try context.assign(writer, to: context.coordinator.stores[1])
                    book.writer = writer
                    try context.save()
                }
            }
        },
    ]

    /// Edits, and saves.
    private static func save(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
        try await Bookcase.edit { context in
            try body(context)
            try context.save()
        }
    }
}
