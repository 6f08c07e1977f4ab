import Backstitch
import BackstitchSQLite
import Testing

@Suite("values at the end of a path", .timeLimit(.minutes(1)))
struct KeyPathValueTests {
    @Test("are read along to-one relationships, as null where one leads nowhere")
    func values() async throws {
        try await Bookcase.edit { context in
            let book = Volume("Dune", in: context)
            #expect(try book.value(forKeyPath: "title") == "Dune")
            #expect(try book.value(forKeyPath: "writer.name") == .null)
            let writer = Writer(context: context)
            try writer.setValue("Herbert", forKey: "name")
            book.writer = writer
            #expect(try book.value(forKeyPath: "writer.name") == "Herbert")
            #expect(try book.value(forKeyPath: "writer") == .object(writer.objectID))
        }
    }

    @Test(
        "are refused with the entity and what to do, whether or not objects are there",
        arguments: [
            ("writer.nmae", ["entity Writer", "did you mean name?"]),
            ("wrtier.name", ["entity Book", "did you mean writer?"]),
            ("title.name", ["Book.title is an attribute"]),
            ("labels.name", ["Book.labels is a to-many", "objects(forKey:)"]),
            ("writer.books.title", ["Writer.books is a to-many", "objects(forKey:)"]), ("writer.", ["entity Writer"]),
        ])
    func refusals(path: String, words: [String]) async throws {
        try await Bookcase.edit { context in
            let (lone, written) = (Volume("Dune", in: context), Volume("Emma", in: context))
            written.writer = Writer(context: context)
            for book in [lone, written] {
                let error = #expect(throws: BackstitchError.self) { try book.value(forKeyPath: path) }
                for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
            }
        }
    }
}
