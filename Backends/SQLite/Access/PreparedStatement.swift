import Backstitch
import GRDB
import GRDBSQLite

/// A prepared statement during its run. Its parameters are bound and its rows are read with SQLite's C functions.
struct PreparedStatement {
    let pointer: OpaquePointer
    private let connection: OpaquePointer?

    init(pointer: OpaquePointer, connection: OpaquePointer?) {
        self.pointer = pointer
        self.connection = connection
    }

    /// Creates it from a statement that the database library holds.
    init(_ statement: Statement, on database: Database) {
        self.init(pointer: statement.sqliteStatement, connection: database.sqliteConnection)
    }

    /// Runs `body` with the statement, and afterwards resets the statement.
    func use<Result>(_ body: (PreparedStatement) throws -> Result) rethrows -> Result {
        defer {
            sqlite3_reset(pointer)
            sqlite3_clear_bindings(pointer)
        }
        return try body(self)
    }

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is a next row.
    @inline(__always)
    func step() throws -> Bool {
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Runs the statement to its end, and makes it ready for the next run.
    ///
    /// - Returns: The number of rows that it changed.
    @inline(__always)
    func runOnce() throws -> Int {
        while try step() {}
        let changes = Int(sqlite3_changes(connection))
        sqlite3_reset(pointer)
        return changes
    }

    /// Throws unless a binding succeeded.
    @inline(__always)
    func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw failure(code) }
    }

    /// The error of a call that has just returned `code`.
    func failure(_ code: Int32) -> SQLiteFailure { SQLiteFailure(code, on: connection) }
}
