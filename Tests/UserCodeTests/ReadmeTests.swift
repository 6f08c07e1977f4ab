import Foundation
import Testing

@Suite("the README")
struct ReadmeTests {
    @Test("its first code is the code that is compiled here")
    func openingIsCompiled() throws {
        let compiled = try lines(of: "Tests/UserCodeTests/ReadmeOpening.swift")
        let begin = try #require(compiled.firstIndex(of: "// begin"))
        let end = try #require(compiled.firstIndex(of: "// end"))
        #expect(try codeBlock(0) == Array(compiled[(begin + 1)..<end]))
    }

    @Test("its model is the model that is compiled here")
    func modelIsCompiled() throws {
        let model = try lines(of: "Tests/UserCodeTests/NotesModel.swift")
        let shown = try codeBlock(2)
        #expect(shown.count > 20)
        for line in shown { #expect(model.contains(line), "the README has \"\(line)\"") }
    }

    /// The lines of the README's `index`th Swift code, without indentation and empty ones.
    private func codeBlock(_ index: Int) throws -> [String] {
        let blocks = try text(of: "README.md").components(separatedBy: "```swift\n").dropFirst()
        let block = try #require(blocks.dropFirst(index).first?.components(separatedBy: "```").first)
        return trimmed(block)
    }

    private func lines(of path: String) throws -> [String] { trimmed(try text(of: path)) }

    private func trimmed(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
