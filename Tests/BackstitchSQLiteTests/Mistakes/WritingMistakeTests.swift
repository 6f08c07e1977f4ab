import Backstitch
import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Logging
import Testing

@Suite("mistakes in changing objects", .timeLimit(.minutes(5)))
struct WritingMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    @Test("a wrong value is told with the line that sets it, that of a property's accessor too")
    func line() async throws {
        let line = #line + 1
        let errors = [try await refusal { $0["pages"] = 70_000 }, try await refusal { $0.pages = 70_000 }]
        #expect(errors[0].location.line == line)
        for (error, file) in zip(errors, ["WritingMistakeTests", "Bookcase"]) {
            let place = "BackstitchSQLiteTests/\(file).swift"
            #expect(error.location.file == place)
            #expect(error.message.contains("(set at \(place):\(error.location.line))"))
            #expect(error.key == "pages")
            #expect(error.objectID?.entityName == "Book")
        }
    }

    @Test("a use after the end is told with its line and that of the perform, once for each place")
    func lateUse() async throws {
        let lines = Locked<[String]>([])
        let container = try PersistentContainer(
            model: Bookcase.model, store: .init(type: .sqlite),
            logger: Logger(label: "test") { _ in LineLog(lines: lines) })
        let begin = #line + 1
        let book = try await container.perform { context in
            _ = Volume("Dune", in: context)
            try context.save()
            context.reset()
            return Smuggled(try #require(try context.fetch(FetchRequest<Volume>()).first))
        }
        let (write, read) = (#line + 2, #line + 3)
        for _ in 0..<3 {
            book.object["pages"] = 70
            let labels: Set<ManagedObject> = book.object["labels"]
            #expect(labels.isEmpty)
            book.object.title = "Emma"
        }
        #expect(throws: BackstitchError.self) { try book.object.setValue(3, forKey: "pages") }
        try container.close()
        let told = lines.withLock { $0.filter { $0.contains("used at") } }
        #expect(told.count == 3)
        let file = "BackstitchSQLiteTests/WritingMistakeTests.swift"
        for line in told { #expect(line.contains(", work of perform at \(file):\(begin))")) }
        for place in ["\(file):\(write)", "\(file):\(read)", "BackstitchSQLiteTests/Bookcase.swift:"] {
            let isTold = told.contains { $0.contains("used at \(place)") }
            #expect(isTold, "\(place) in \(told)")
        }
    }

    private func refusal(_ edit: @escaping @Sendable (Volume) -> Void) async throws -> BackstitchError {
        try await Bookcase.with { container in
            try await container.perform { context in
                edit(Volume("Dune", in: context))
                do { try context.save() } catch let error as BackstitchError { return error }
                throw BackstitchError(.internalInconsistency, "a number out of range was saved")
            }
        }
    }

    private static let mistakes = [
        Mistake("a misspelt key", throws: "entity Book has no property \"titel\"", "did you mean title?") {
            try await Bookcase.edit { context in try Volume("Dune", in: context).setValue("Emma", forKey: "titel") }
        },
        Mistake(
            "a number out of range", throws: "Book/", "Book.pages is integer16", "-32768 to 32767", "the integer 70000"
        ) {
            try await save { context in Volume("Dune", in: context).pages = 70_000 }
        },
        Mistake(
            "a property of another type than the model's", throws: "Book/", "Book.price is decimal", "a Decimal",
            "\"9.99\""
        ) {
            try await save { context in Volume("Dune", in: context).price = "9.99" }
        },
        Mistake("reading a property of another type", throws: "Book.price holds the decimal 9", "is not a String") {
            try await save { context in
                let book = Volume("Dune", in: context)
                try book.setValue(.decimal(9), forKey: "price")
                #expect(book.price.isEmpty)
                _ = try context.count(for: FetchRequest<Volume>())
            }
        },
        Mistake(
            "a to-many relationship as if it were to-one", throws: "Book.labels is a to-many relationship",
            "Swift property"
        ) {
            try await save { context in
                Volume("Dune", in: context).labels = try context.insertObject(entityName: "Label")
            }
        },
        Mistake("a value for a relationship", throws: "Book.writer is a to-one relationship", "set it to objects") {
            try await Bookcase.edit { context in try Volume("Dune", in: context).setValue("Herbert", forKey: "writer") }
        },
        Mistake("an object for an attribute", throws: "Book.title is an attribute (string)") {
            try await Bookcase.edit { context in
                try Volume("Dune", in: context).setObject(Writer(context: context), forKey: "title")
            }
        },
        Mistake("an object of another entity", throws: "Book.writer leads to Writer, not to Label/") {
            try await Bookcase.edit { context in
                let label = try context.insertObject(entityName: "Label")
                try Volume("Dune", in: context).setObject(label, forKey: "writer")
            }
        },
        Mistake("an object of another context", throws: "Writer/", "belongs to another context", "object(with:)") {
            try await save { context in
                let other = ManagedObjectContext(coordinator: context.coordinator)
                Volume("Dune", in: context).writer = Writer(context: other)
            }
        },
        Mistake("a deleted object", throws: "Book.writer cannot lead to Writer/", "was deleted", "another object") {
            try await save { context in
                let writer = Writer(context: context)
                context.delete(writer)
                Volume("Dune", in: context).writer = writer
            }
        },
        Mistake("deleting an object of another context", throws: "Book/", "belongs to another context", "object(with:)")
        {
            try await save { context in
                let other = ManagedObjectContext(coordinator: context.coordinator)
                context.delete(Volume("Dune", in: other))
            }
        },
        Mistake(
            "an object after its context's reset", throws: "Book/", "its context was reset", "title",
            "fetch the object anew"
        ) {
            try await save { context in
                let book = Volume("Dune", in: context)
                try context.save()
                context.reset()
                book.title = "Emma"
            }
        },
        Mistake(
            "an object of a class without an entity", throws: "class Stranger", "cannot be saved",
            "insertObject(entityName:)"
        ) {
            try await save { context in _ = Stranger(context: context) }
        },
        Mistake("a value for an object without an entity", throws: "no entity", "\"title\"", "give one the class") {
            try await Bookcase.edit { context in try Stranger(context: context).setValue("Dune", forKey: "title") }
        },
        Mistake("a value that the store computes", throws: "Book.sorting", "canonical:(title)") {
            try await Bookcase.edit { context in try Volume("Dune", in: context).setValue("dune", forKey: "sorting") }
        },
        Mistake(
            "an object after its context's end", logs: "used after its context's work had ended",
            "hand their objectIDs out"
        ) {
            try await withContainer($0) { container in
                let book = try await container.perform { context in
                    let book = Volume("Dune", in: context)
                    try context.save()
                    return Smuggled(book)
                }
                book.object.title = "Emma"
            }
        },
        Mistake("a mistake that no fetch or save follows", logs: "Book.pages is integer16", "the integer 70000") {
            try await withContainer($0) { container in
                try await container.perform { context in
                    let book = Volume("Dune", in: context)
                    try context.save()
                    book.pages = 70_000
                }
            }
        },
        Mistake("changes that are not saved", logs: "unsaved changes", "call save()") {
            try await withContainer($0) { container in
                try await container.perform { context in _ = Volume("Dune", in: context) }
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

    private static func withContainer(_ logger: Logger, _ body: (PersistentContainer) async throws -> Void) async throws
    {
        let container = try PersistentContainer(model: Bookcase.model, store: .init(type: .sqlite), logger: logger)
        try await body(container)
        try container.close()
    }
}

/// An object that the compiler does not let out of a closure. The test needs it outside.
private struct Smuggled: @unchecked Sendable {
    let object: Volume

    init(_ object: Volume) { self.object = object }
}
