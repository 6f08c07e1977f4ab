import GRDBSQLite
import Testing

@testable import BackstitchSQLite

@Suite("what is said of SQLite's errors")
struct FailureMessageTests {
    @Test(
        "an error that the connection has not noted is told by its code, not as none",
        arguments: [SQLITE_TOOBIG, SQLITE_NOMEM, SQLITE_FULL])
    func notNoted(_ code: Int32) throws {
        var connection: OpaquePointer?
        try #require(sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        for failure in [
            SQLiteFailure(code, on: connection), SQLiteFailure(code, on: nil),
            SQLiteFailure(code: code, message: "not an error"),
        ] {
            #expect(failure.message == String(cString: sqlite3_errstr(code)))
            #expect(!"\(failure.backstitchError(store: "books.sqlite"))".contains("not an error"))
        }
    }

    @Test("an error that the connection has noted is told in its words")
    func noted() throws {
        var connection: OpaquePointer?
        try #require(sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let code = sqlite3_exec(connection, "SELECT * FROM nowhere", nil, nil, nil)
        #expect(SQLiteFailure(code, on: connection).message == "no such table: nowhere")
    }
}
