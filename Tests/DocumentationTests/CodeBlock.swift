import Foundation

/// Swift code of a document, and its file name: the word after `swift` at the block's beginning, which readers do not
/// see.
///
/// ````
/// ```swift App/main.swift
/// ````
struct CodeBlock: CustomStringConvertible {
    /// The document, from the root of the repository.
    let document: String
    /// The line at which it begins.
    let line: Int
    /// The program and the file, such as `App/main.swift`; nil where the document does not say.
    let path: String?
    /// The code, whole.
    let code: String

    var description: String { "\(document):\(line)" }

    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().appending(path: "../../..").standardized

    /// The Swift code of all documents.
    static func all() throws -> [CodeBlock] {
        let folder = root.appending(path: "Documentation")
        let articles = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".md") }.map { "Documentation/\($0)" }.sorted()
        return try (["README.md", "DEVIATIONS.md", "CONTRIBUTING.md"] + articles).flatMap(blocks)
    }

    private static func blocks(of document: String) throws -> [CodeBlock] {
        let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
        var blocks: [CodeBlock] = []
        var open: (line: Int, words: [String], code: String)?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            guard line.hasPrefix("```") else {
                open?.code += line + "\n"
                continue
            }
            guard let (begin, words, code) = open else {
                open = (index + 1, line.dropFirst(3).split(separator: " ").map(String.init), "")
                continue
            }
            if words.first?.lowercased() == "swift" {
                blocks.append(
                    CodeBlock(document: document, line: begin, path: words.dropFirst().first, code: code))
            }
            open = nil
        }
        return blocks
    }
}
