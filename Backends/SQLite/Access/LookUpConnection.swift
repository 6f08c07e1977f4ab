import GRDBSQLite
import Synchronization

/// A connection outside the pool, for look-ups. Each look-up is one short statement, which stays prepared. It needs no
/// transaction, because one statement always sees one state, the newest.
///
/// For a single row, the way through the pool and a connection's queue takes three times as long as SQLite itself. This
/// connection is used on the caller's thread if it is free. Otherwise the caller uses the pool.
final class LookUpConnection: Sendable {
    private let path: String
    private let settings: [String]
    private let busyTimeout: Double
    /// Checks that the connection has the same file open as the others.
    private let verify: @Sendable (OpaquePointer?) throws -> Void
    /// Whether the connection is in use. No thread waits for it, so it needs no lock.
    private let isTaken = Atomic(false)
    // Only the thread that has taken the connection uses these.
    nonisolated(unsafe) private var connection: OpaquePointer?
    nonisolated(unsafe) private var statements: [String: OpaquePointer] = [:]
    /// The last used statement. Mostly it is also the next one, with the identical text, so the text is not hashed.
    nonisolated(unsafe) private var last = (text: "", pointer: nil as OpaquePointer?)

    /// Creates a connection to a file that other connections have open. It is opened at its first use.
    ///
    /// - Parameter settings: The statements to run after the opening.
    /// - Parameter verify: Throws if the connection has another file open than the others.
    init(
        path: String, settings: [String], busyTimeout: Double,
        verify: @escaping @Sendable (OpaquePointer?) throws -> Void
    ) {
        self.path = path
        self.settings = settings
        self.busyTimeout = busyTimeout
        self.verify = verify
    }

    deinit { letGo() }

    /// Runs `body` with the connection.
    ///
    /// - Returns: The result of `body`; nil, without a run of `body`, when the connection is in use or cannot be
    ///   opened.
    /// - Throws: The error of `body`.
    func use<Result>(_ body: (LookUpConnection) throws -> Result) throws -> Result? {
        guard isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return isOpen ? try body(self) : nil
    }

    /// Closes it, so that the writing connection is closed last. It must not be in use, now or later.
    func close() { letGo() }

    private var isOpen: Bool {
        if connection != nil { return true }
        // If the system refuses another connection, the pool is used, or reports the problem.
        do { try open() } catch { letGo() }
        return connection != nil
    }

    /// Opens the file for reading, checks that it is the right one, and prepares the connection.
    private func open() throws {
        try check(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil))
        try verify(connection)
        sqlite3_extended_result_codes(connection, 1)
        sqlite3_busy_timeout(connection, Int32(busyTimeout * 1000))
        for setting in settings { try check(sqlite3_exec(connection, setting, nil, nil, nil)) }
        try SQLiteFunctionRegistry.register(on: connection)
    }

    /// Closes the connection and its statements.
    private func letGo() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        last = ("", nil)
        sqlite3_close_v2(connection)
        connection = nil
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw SQLiteFailure(code, on: connection) }
    }
}

extension LookUpConnection: StatementSource {
    func use<Result>(_ text: String, stays: Bool, _ body: (PreparedStatement) throws -> Result) throws -> Result {
        let known = last.text == text ? last.pointer : statements[text]
        if let known, sqlite3_stmt_busy(known) == 0 {
            last = (text, known)
            return try PreparedStatement(pointer: known, connection: connection).use(body)
        }
        var pointer: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
        guard let pointer else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "a statement is empty: \(text)") }
        let isKept = stays && known == nil
        if isKept { statements[text] = pointer }
        defer { if !isKept { sqlite3_finalize(pointer) } }
        return try PreparedStatement(pointer: pointer, connection: connection).use(body)
    }
}
