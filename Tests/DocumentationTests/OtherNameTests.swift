import Foundation
import Testing

/// Calls that people know from Core Data and SwiftData. They are compiled in one file, and the compiler must name the
/// call to use here.
@Suite("names of other systems")
struct OtherNameTests {
    /// A line of code, and a part of the compiler's answer to it.
    private struct Spelling {
        let code: String
        let answer: String

        init(_ code: String, _ answer: String) { (self.code, self.answer) = (code, answer) }
    }

    private static let spellings = [
        Spelling("_ = Note.fetchRequest()", "FetchRequest<Note>()"),
        Spelling("_ = note.primitiveValue(forKey: \"title\")", "value(forKey:)"),
        Spelling("note.setPrimitiveValue(.null, forKey: \"title\")", "setValue(_:forKey:)"),
        Spelling("note.willAccessValue(forKey: \"title\")", "not needed: reading a property fires its fault"),
        Spelling("note.willChangeValue(forKey: \"title\")", "not needed: setting a property tells the context"),
        Spelling("note.didChangeValue(forKey: \"title\")", "not needed: setting a property tells the context"),
        Spelling("_ = note.mutableSetValue(forKey: \"tags\")", "add(_:to:)"),
        Spelling("context.insert(note)", "make it with Note(context: context)"),
        Spelling("_ = try context.execute(FetchRequest<Note>())", "fetch(_:)"),
        Spelling("_ = try context.fetchCount(FetchRequest<Note>())", "count(for:)"),
        Spelling("_ = try context.fetchIdentifiers(FetchRequest<Note>())", "fetchObjectIDs(_:)"),
        Spelling("try context.delete(model: Note.self)", "execute(BatchDeleteRequest("),
        Spelling("_ = context.model(for: note.objectID)", "object(with:)"),
        Spelling("_ = context.registeredModel(for: note.objectID)", "registeredObject(for:)"),
        Spelling("context.perform {}", "container.perform { context in"),
        Spelling("context.performAndWait {}", "a context stays on its thread, so just use it"),
        Spelling("try context.transaction {}", "a save is one transaction"),
        Spelling("try context.obtainPermanentIDs(for: [note])", "an objectID is permanent from the start"),
        Spelling("_ = context.persistentStoreCoordinator", "coordinator"),
        Spelling("container.loadPersistentStores { _, _ in }", "PersistentContainer(model:store:) opens the store"),
        Spelling("container.performBackgroundTask { _ in }", "try await container.perform { context in"),
        Spelling("_ = container.mainContext", "viewContext"),
        Spelling("_ = container.persistentStoreCoordinator", "coordinator"),
        Spelling("_ = container.managedObjectModel", "coordinator.model"),
    ]

    @Test("are answered by the compiler with the name that they have here")
    func answers() async throws {
        let head = """
            import Backstitch

            final class Note: ManagedObject {}

            @MainActor func wrong(_ context: ManagedObjectContext, _ container: PersistentContainer, _ note: Note) throws {

            """
        let package = try NewPackage(), lines = Self.spellings.map(\.code).joined(separator: "\n")
        try package.add(head + lines + "\n}\n", as: "Sources/Wrong/Wrong.swift")
        let outcome = try await package.check("Wrong")
        #expect(outcome.status != 0)
        let first = head.split(separator: "\n", omittingEmptySubsequences: false).count
        for (number, spelling) in Self.spellings.enumerated() {
            let place = "Wrong.swift:\(first + number):"
            let answers = outcome.output.split(separator: "\n").filter { $0.contains(place) && $0.contains("error:") }
            #expect(
                answers.count == 1 && answers.allSatisfy { $0.contains(spelling.answer) },
                "\(spelling.code): \(answers)\n\(outcome.output)")
        }
        try package.remove()
    }

    @Test("every such name in the sources is among them")
    func complete() throws {
        var count = 0
        let sources = CodeBlock.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.lastPathComponent.hasSuffix("+OtherNames.swift") {
            count += try String(contentsOf: file, encoding: .utf8).components(separatedBy: "@available(").count - 1
        }
        // `execute` has two forms, for objects and for dictionaries.
        #expect(count == Self.spellings.count + 1)
    }
}
