import Backstitch
import BackstitchMacros
import BackstitchSQLite
import Foundation
import Testing

@Suite("the README's section on macros")
struct ReadmeTests {
    @Test("shows the model that is compiled here")
    func modelIsCompiled() throws {
        let compiled = try lines(of: "Tests/BackstitchMacrosTests/Models/NotesModel.swift")
        let shown = try codeBlock(0)
        #expect(shown.count > 15)
        for line in shown { #expect(compiled.contains(line), "the README has \"\(line)\"") }
    }

    @Test("shows the fetch that is run here")
    func fetchIsCompiled() async throws {
        let compiled = try lines(of: "Tests/BackstitchMacrosTests/ReadmeTests.swift")
        let begin = try #require(compiled.firstIndex(of: "// begin"))
        let end = try #require(compiled.firstIndex(of: "// end"))
        #expect(try codeBlock(1) == Array(compiled[(begin + 1)..<end]))

        let container = try PersistentContainer(model: .notes, store: .init(type: .sqlite))
        let found = try await container.perform { context in
            let home = Folder(context: context)
            home.name = "Home"
            for (title, tag) in [("Buy thread", "craft"), ("Sell thread", "shop"), ("Buy cloth", "craft")] {
                let note = Note(context: context)
                (note.title, note.folder) = (title, home)
                let label = Tag(context: context)
                label.name = tag
                note.tags = [label]
            }
            try context.save()
            return try Self.threads(in: context)
        }
        #expect(found == ["Buy thread"])
    }

    private static func threads(in context: ManagedObjectContext) throws -> [String] {
        // begin
        let notes = try context.fetch(
            FetchRequest<Note>(
                where: #Predicate { note in
                    note.title.contains("thread") && note.folder?.name == "Home"
                        && note.tags.contains { $0.name == "craft" }
                },
                sortedBy: [.descending("created")], limit: 20))
        // end
        return notes.map(\.title)
    }

    /// The lines of the `index`th Swift code of the section, without indentation and empty ones.
    private func codeBlock(_ index: Int) throws -> [String] {
        let section = try #require(
            try text(of: "README.md").components(separatedBy: "### With macros\n").dropFirst().first)
        let blocks = section.components(separatedBy: "\n### ")[0].components(separatedBy: "```swift\n").dropFirst()
        return trimmed(try #require(blocks.dropFirst(index).first?.components(separatedBy: "```").first))
    }

    private func lines(of path: String) throws -> [String] { trimmed(try text(of: path)) }

    private func trimmed(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
