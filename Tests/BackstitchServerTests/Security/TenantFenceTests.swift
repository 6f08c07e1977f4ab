import Backstitch
import BackstitchSQL
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// A container's rows have its number in their key. A statement without that number would mix the rows of all
/// containers. So the text of each statement is checked here, including future ones.
@Suite("each statement of the server keeps to one container") struct TenantFenceTests {
    /// A text of SQL in the sources.
    struct Statement: Hashable {
        var file: String
        var text: String
    }

    /// Statements that are for all containers, by how they begin, and the reason.
    static let forAll: [String: String] = [
        "SELECT count(*) FROM owner WHERE name =": "a user's databases in all containers are counted for the quota",
        "SELECT holder, token FROM (": "a token that has ended has ended for all containers",
        "SELECT (SELECT CAST(coalesce(sum(head), 0) AS bigint) FROM zone)": "a copy is compared with its source",
        #"SELECT \(names: Self.zonePlace) || ': floor' FROM zone"#: "`admin verify` looks at everything",
        #"SELECT \(names: Self.zonePlace) FROM zone"#: "`admin verify` looks at everything",
        "UPDATE asset SET doubtful": "the condition follows, in a text of its own",
        "DELETE FROM asset": "the condition follows, in a text of its own",
    ]

    @Test("a statement with a table of containers names the container, or stands in the list of those for all")
    func complete() async throws {
        let tables = try await StorageKind.directory.withStorage { storage in
            try storage.database.read(isSnapshot: true) { connection in
                try connection.describeTables().filter { table in
                    table.name != "tenant" && table.columns.contains { $0.name == "tenant_id" }
                }.map(\.name)
            }
        }
        #expect(tables.count > 15 && tables.contains("record") && !tables.contains("credential"))
        var unnamed: Set<Statement> = [], named = 0, excused: Set<String> = []
        for (file, text) in try Self.sources() {
            let conditions = Self.conditions(in: text)
            for statement in Self.literals(in: text) where Self.touches(tables, statement) {
                if Self.names("tenant_id", statement, conditions) {
                    named += 1
                } else if let begin = Self.forAll.keys.first(where: statement.hasPrefix) {
                    excused.insert(begin)
                } else {
                    unnamed.insert(Statement(file: file, text: statement))
                }
            }
        }
        #expect(unnamed.isEmpty, "\(unnamed)")
        #expect(named > 100)
        #expect(excused == Set(Self.forAll.keys), "an entry of the list is not needed any more")
    }

    @Test("the search finds a statement that forgets the container")
    func finds() {
        let source = ###"""
            let inZone: SQLText = "tenant_id = \(t) AND zone_id = \(z)"
            try all("SELECT name FROM record WHERE \(inZone)")
            try all(
                """
                SELECT name FROM record
                    WHERE name = \(name)
                """)
            """###
        let found = Self.literals(in: source).filter { Self.touches(["record"], $0) }
        #expect(found.count == 2)
        let open = found.filter { !Self.names("tenant_id", $0, Self.conditions(in: source)) }
        #expect(open == [#"SELECT name FROM record WHERE name = \(name)"#])
    }

    /// The server's sources, by their files' names.
    private static func sources() throws -> [(file: String, text: String)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/BackstitchServer")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }.map {
            ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
    }

    /// The literals of a source, on one line each.
    private static func literals(in source: String) -> [String] {
        source.matches(of: /(?s)"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"/).map { match in
            String(match.1 ?? match.2 ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    /// The constants of a source that are parts of statements, with their text.
    private static func conditions(in source: String) -> [String: String] {
        let pairs = source.matches(of: /(?s)let (\w+): SQLText =\s*(?:"""(.*?)"""|"((?:[^"\\\n]|\\.)*)")/).map {
            (String($0.1), String($0.2 ?? $0.3 ?? ""))
        }
        return Dictionary(pairs, uniquingKeysWith: { $0.contains("tenant_id") ? $1 : $0 })
    }

    private static func touches(_ tables: [String], _ statement: String) -> Bool {
        statement.matches(of: /\b(?:FROM|JOIN|INTO|UPDATE) (\w+)/).contains { tables.contains(String($0.1)) }
    }

    private static func names(_ column: String, _ statement: String, _ conditions: [String: String]) -> Bool {
        if statement.contains(column) { return true }
        return conditions.contains { name, text in statement.contains("\\(\(name))") && text.contains(column) }
    }
}
