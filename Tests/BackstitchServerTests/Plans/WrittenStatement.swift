import Foundation
import TestSupport

/// A statement as the server's sources have it: the pieces of text between its values.
struct WrittenStatement {
    var place: String
    var pieces: [String]

    /// Whether a statement that was carried out is this one.
    func isPart(of text: String) -> Bool {
        var rest = Self.plain(text)[...]
        for piece in pieces {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }

    /// A text with one space in place of each piece of white space.
    static func plain(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The statements of requests. Maintenance looks at whole storages, and steps of the schema are taken once.
    static func all() throws -> [WrittenStatement] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/BackstitchServer")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            path.hasSuffix(".swift") && !path.hasPrefix("Maintenance/") && !path.contains("Schema")
                && !path.hasSuffix("+AssetSizes.swift")
        }
        guard files.count > 100 else { throw TestFailure("no sources in \(folder.path)") }
        return try files.sorted().flatMap { path in
            let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            return literals(of: source, path) + bulkStatements(of: source, path)
        }
    }

    /// The statements that `SQLBulkBuilder` puts together.
    private static func bulkStatements(of source: String, _ path: String) -> [WrittenStatement] {
        let kinds: [(Regex<(Substring, Substring)>, (Substring) -> String)] = [
            (#/\.insert\(\s*into: "(\w+)"/#, { "INSERT INTO \($0) (" }),
            (#/[bB]uilder\.update\(\s*"(\w+)"/#, { "UPDATE \($0) SET" }),
            (#/\.delete\(\s*from: "(\w+)"/#, { "DELETE FROM \($0)" }),
        ]
        return kinds.flatMap { kind, text in
            source.matches(of: kind).map { WrittenStatement(place: "\(path): \($0.1)", pieces: [text($0.1)]) }
        }
    }

    private static func literals(of source: String, _ path: String) -> [WrittenStatement] {
        var scanner = LiteralScanner(source)
        return scanner.scan().compactMap { literal in
            let pieces = literal.pieces.map { plain($0) }.filter { !$0.isEmpty }
            let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]
            guard let first = pieces.first, verbs.contains(where: "\(first) ".hasPrefix) else { return nil }
            return WrittenStatement(place: "\(path):\(literal.line)", pieces: pieces)
        }
    }
}
