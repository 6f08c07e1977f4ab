import GRDBSQLite
import Synchronization

/// A connection beside the pool, for look-ups: one short statement each, which stays prepared, and no transaction
/// around it, as one statement sees one state anyway, the newest.
///
/// For a single row, taking a connection out of the pool and going through its queue costs three times what SQLite
/// does. This one is used by the thread that asks, if nobody else is using it; whoever finds it in use goes to the
/// pool.
final class LookUpConnection: Sendable {
    private let path: String
    private let settings: [String]
    private let busyTimeout: Double
    /// Has the connection be one to the file that the others have open.
    private let verify: @Sendable (OpaquePointer?) throws -> Void
    /// Whether somebody uses it. Nobody waits for it to be free, so it needs no lock.
    private let isTaken = Atomic(false)
    // Touched only by the thread that has taken the connection.
    nonisolated(unsafe) private var connection: OpaquePointer?
    nonisolated(unsafe) private var statements: [String: OpaquePointer] = [:]
    /// The statement that was used last: mostly the next one, and then its text is the very same, so that it is not
    /// hashed.
    nonisolated(unsafe) private var last = (text: "", pointer: nil as OpaquePointer?)

    /// A connection to a file that others have open; it is opened when it is first used.
    ///
    /// - Parameters:
    ///   - settings: Statements to run then.
    ///   - verify: Throws when the connection has another file open than the others.
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
    /// - Returns: The result of `body`; nil, without running it, when somebody else uses the connection, or it cannot
    ///   be opened.
    /// - Throws: The error that `body` throws.
    func use<Result>(_ body: (LookUpConnection) throws -> Result) throws -> Result? {
        guard isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return isOpen ? try body(self) : nil
    }

    /// Closes it, so that the connection which writes is the last. Nobody uses it then, or does any more.
    func close() { letGo() }

    private var isOpen: Bool {
        if connection != nil { return true }
        // Where the system refuses another connection, those of the pool do, or say what is wrong.
        do { try open() } catch { letGo() }
        return connection != nil
    }

    private func open() throws {
        try check(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil))
        try verify(connection)
        sqlite3_extended_result_codes(connection, 1)
        sqlite3_busy_timeout(connection, Int32(busyTimeout * 1000))
        for setting in settings { try check(sqlite3_exec(connection, setting, nil, nil, nil)) }
        try SQLiteFunctionRegistry.register(on: connection)
    }

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
