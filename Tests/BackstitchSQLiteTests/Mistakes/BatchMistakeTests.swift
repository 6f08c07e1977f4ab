import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Testing

@Suite("mistakes in batch requests", .timeLimit(.minutes(5)))
struct BatchMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    @Test("a batch that is refused for one object inserts none")
    func nothing() async throws {
        try await Bookcase.edit { context in
            let request = BatchInsertRequest(entityName: "Book", objects: [["title": "Dune"], ["isbn": "0-441"]])
            let error = #expect(throws: BackstitchError.self) { try context.execute(request) }
            #expect(error?.code == .validation)
            #expect(error?.key == "title")
            let count = try context.count(for: FetchRequest<Volume>())
            #expect(count == 0)
        }
    }

    private static let mistakes = [
        Mistake(
            "a misspelt key in a dictionary", throws: "entity Book has no property \"titel\"", "did you mean title?"
        ) {
            try await insert(["title": "Dune", "titel": "Dune"])
        },
        Mistake(
            "a dictionary without a required value", throws: "object 1", "Book", "isbn is the string \"0-441\"",
            "needs a value for title", "a default"
        ) {
            try await insert(["isbn": "0-441"])
        },
        Mistake("nil for a required value", throws: "object 1", "needs a value for title") {
            try await insert(["title": .null])
        },
        Mistake("a closure that leaves a required value out", throws: "object 3", "needs a value for title") {
            try await Bookcase.edit { context in
                var count = 0
                let request = BatchInsertRequest(entityName: "Book") { row in
                    count += 1
                    if count < 3 { row["title"] = "Dune" }
                    return count > 3
                }
                try context.execute(request)
            }
        },
        Mistake("a value of another type in a dictionary", throws: "Book.pages is integer16", "the string \"many\"") {
            try await insert(["title": "Dune", "pages": "many"])
        },
        Mistake("a to-many relationship in a dictionary", throws: "Book.labels", "change others through objects") {
            try await insert(["title": "Dune", "labels": "new"])
        },
        Mistake("a misspelt key in an update", throws: "entity Book has no property \"titel\"", "did you mean title?") {
            try await update(["titel": "Emma"])
        },
        Mistake("a value of another type in an update", throws: "Book.pages is integer16", "the string \"many\"") {
            try await update(["pages": "many"])
        },
        Mistake("an update to nil of what is required", throws: "Book.title to nil", "make it optional") {
            try await update(["title": nil])
        },
        Mistake(
            "an update by an expression to nil of what is required", throws: ".title to nil", "with the predicate"
        ) {
            try await Bookcase.edit { context in
                _ = Volume("Dune", in: context)
                try context.save()
                try context.execute(BatchUpdateRequest(entityName: "Book", set: ["title": .key("isbn")]))
            }
        },
        Mistake("an update of nothing", throws: "a batch update of Book sets no property") { try await update([:]) },
        Mistake("a deletion of two entities", throws: "ids of Book and Writer", "give ids of one entity only") {
            try await Bookcase.edit { context in
                let ids = [Volume("Dune", in: context).objectID, Writer(context: context).objectID]
                try context.execute(BatchDeleteRequest(objectIDs: ids))
            }
        },
    ]

    private static func insert(_ values: [String: Value]) async throws {
        try await Bookcase.edit { try $0.execute(BatchInsertRequest(entityName: "Book", objects: [values])) }
    }

    private static func update(_ values: [String: BatchExpression]) async throws {
        try await Bookcase.edit { try $0.execute(BatchUpdateRequest(entityName: "Book", set: values)) }
    }
}
