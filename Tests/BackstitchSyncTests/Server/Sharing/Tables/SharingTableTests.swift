import Foundation
import Testing

/// Each row of the tables of Documentation/Sharing.md has a test of its name, over HTTP. A row without a test, or a
/// test without a row, is noticed here.
@Suite("the tables of the document on sharing") struct SharingTableTests {
    struct Table: Sendable, CustomTestStringConvertible {
        /// The heading under which it stands.
        let heading: String
        /// The files of its tests, beside this one.
        let files: [String]

        var testDescription: String { heading }
    }

    static let tables = [
        Table(heading: "Who may do what", files: ["RightsTableTests.swift"]),
        Table(heading: "A share and its people", files: ["ShareTableTests.swift"]),
        Table(
            heading: "Objects that are shared where they are",
            files: ["ObjectShareTableTests.swift", "ObjectRightsTableTests.swift"]),
    ]

    @Test("no table is left out")
    func complete() throws {
        let headings = try Self.sections().filter { !Self.rows($0.lines).isEmpty }.map(\.heading)
        #expect(headings == Self.tables.map(\.heading))
    }

    @Test("each row has its test, and each test its row", arguments: tables)
    func held(_ table: Table) throws {
        let section = try #require(try Self.sections().first { $0.heading == table.heading })
        let rows = Self.rows(section.lines)
        let tests = try Self.tests(in: table.files)
        #expect(rows.count > 5 && Set(rows).count == rows.count)
        #expect(Set(rows).subtracting(tests.keys).isEmpty, "rows without a test")
        #expect(Set(tests.keys).subtracting(rows).isEmpty, "tests without a row")
        for row in rows { #expect(tests[row]?.contains(".disabled") != true, "the test of \(row) is switched off") }
    }

    /// The document's parts, each with the lines under its heading.
    private static func sections() throws -> [(heading: String, lines: [Substring])] {
        var folder = URL(filePath: #filePath)
        while folder.lastPathComponent != "Tests" { folder.deleteLastPathComponent() }
        let file = folder.deletingLastPathComponent().appending(path: "Documentation/Sharing.md")
        let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        return text.components(separatedBy: "\n## ").map { part in
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines[0]), Array(lines.dropFirst()))
        }
    }

    /// The first cells of a table's rows, below its head.
    private static func rows(_ lines: [Substring]) -> [String] {
        lines.filter { $0.hasPrefix("|") }.dropFirst(2).compactMap { line in
            line.split(separator: "|").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The attributes of the tests of some files, by the names of the tests.
    private static func tests(in files: [String]) throws -> [String: String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let text = try files.map { try String(decoding: Data(contentsOf: folder.appending(path: $0)), as: UTF8.self) }
            .joined()
        let attributes = text.components(separatedBy: "@Test(\"").dropFirst().map { part in
            part.components(separatedBy: "func ")[0]
        }
        return Dictionary(attributes.map { ($0.components(separatedBy: "\"")[0], $0) }, uniquingKeysWith: { $0 + $1 })
    }
}
