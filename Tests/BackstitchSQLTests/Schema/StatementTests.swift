import Backstitch
import Testing

@testable import BackstitchPostgreSQL
@testable import BackstitchSQL
@testable import BackstitchSQLite

@Suite("Statements")
struct StatementTests {
    private static func key(_ number: Int) -> ObjectKey { ObjectKey(high: 7, low: UInt64(number)) }

    @Test(
        "lists of keys come in few lengths for SQLite, and as one array for PostgreSQL",
        arguments: [1, 2, 8, 9, 64, 65, 499, 500])
    func keyLists(_ count: Int) {
        let keys = (0..<count).map(Self.key)
        var sqlite = SQLStatement(.sqlite, "x")
        sqlite.append(isOneOf: keys[...])
        #expect([1, 8, 64, 500].contains(sqlite.parameters.count))
        #expect(sqlite.text.count { $0 == "?" } == sqlite.parameters.count)
        #expect(Set(sqlite.parameters) == Set(keys.map(SQLParameter.key)))
        var postgreSQL = SQLStatement(.postgreSQL, "x")
        postgreSQL.append(isOneOf: keys[...])
        #expect(postgreSQL.text == "x = ANY ($1)")
        #expect(postgreSQL.parameters == [.keys(keys)])
    }

    @Test("many keys are one blob for SQLite")
    func blobOfKeys() {
        let keys = (0..<501).map(Self.key)
        var sqlite = SQLStatement(.sqlite, "x")
        sqlite.append(isOneOf: keys[...])
        #expect(sqlite.parameters == [.value(.int(501 * 16)), .keys(keys)])
        #expect(sqlite.text.count { $0 == "?" } == 2)
    }

    @Test("very many keys are cut into several statements for SQLite alone")
    func chunks() {
        let keys = (0..<120_001).map(Self.key)
        let sqlite = SQLStatement.keyChunks(keys, dialect: .sqlite)
        #expect(sqlite.map(\.count) == [50_000, 50_000, 20_001])
        #expect(sqlite.flatMap { $0 } == keys)
        #expect(SQLStatement.keyChunks(keys, dialect: .postgreSQL).map(\.count) == [120_001])
        #expect(SQLStatement.keyChunks([], dialect: .sqlite).isEmpty)
    }

    @Test("placeholders are numbered for PostgreSQL")
    func placeholders() {
        var statement = SQLStatement(.postgreSQL, "a IN (")
        statement.append(list: [.int(1), .string("x")])
        statement.append(") AND b = ")
        statement.append(.null)
        #expect(statement.text == "a IN ($1, $2) AND b = $3")
        #expect(statement.parameters == [.value(.int(1)), .value(.string("x")), .value(.null)])
    }

    @Test("a prefix ends before the first text that does not begin with it")
    func prefixes() {
        #expect(MetadataTable.end(ofPrefix: "sync.") == "sync/")
        #expect(MetadataTable.end(ofPrefix: "a\u{10FFFF}") == "b")
        #expect(MetadataTable.end(ofPrefix: "\u{D7FF}") == "\u{E000}")
        #expect(MetadataTable.end(ofPrefix: "\u{10FFFF}") == nil)
        #expect(MetadataTable.end(ofPrefix: "") == nil)
    }
}
