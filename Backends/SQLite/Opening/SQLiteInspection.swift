import Backstitch
import BackstitchSQL
import Foundation
import GRDBSQLite

/// Looks at a file before it is opened for writing, without leaving a trace: neither the file changes nor does another
/// appear.
///
/// The file is read as immutable, so SQLite takes no locks and makes nothing beside it. What identifies a store is
/// written when it is made, and checked into the file itself soon after. Only where the file does not tell, and a log
/// lies beside it, the log is read as well; that may make SQLite's index of it appear (`-shm`), and still changes
/// neither file nor log.
///
/// SQLite opens the file also for this: a `close` of our own would drop the locks that other connections of this
/// process hold on it.
struct SQLiteInspection {
    private enum Mode: String {
        case immutable = "immutable=1"
        case withLog = "mode=ro"
    }

    private let connection: OpaquePointer

    /// The migration that the file needs; nil for none, and for a database without anything in it.
    ///
    /// - Throws: Unless it is one of these.
    @discardableResult
    static func migration(of file: SQLiteFile, _ configuration: StoreConfiguration) throws -> StoreMigration? {
        do {
            if try isDecided(file, configuration) { return nil }
            let identity = try identity(of: file, .withLog)
            return identity.isBlank ? nil : try identity.check(configuration, store: file.path)
        } catch {
            throw SQLiteFailure.explain(error, store: file.path)
        }
    }

    /// Whether the file alone tells that it can be opened as it is; throws when it tells that it cannot. A process that dies
    /// while it moves its log into the file leaves a file that makes sense only together with the log.
    private static func isDecided(_ file: SQLiteFile, _ configuration: StoreConfiguration) throws -> Bool {
        let hasLog = (FileCalls.size(of: file.log) ?? 0) > 0
        do {
            let identity = try identity(of: file, .immutable)
            if identity.isBlank { return !hasLog }
            if hasLog, identity.applicationID == SQLiteIdentity.applicationID {
                // A migration may be in the log only.
                guard case .success(nil) = Result(catching: { try identity.check(configuration, store: file.path) })
                else { return false }
                return true
            }
            return try identity.check(configuration, store: file.path) == nil
        } catch let failure as SQLiteFailure
            where hasLog && [SQLITE_CORRUPT, SQLITE_IOERR].contains(failure.code & 0xFF)
        {
            return false
        }
    }

    private static func identity(of file: SQLiteFile, _ mode: Mode) throws -> SQLiteIdentity {
        let inspection = try SQLiteInspection(file.path, mode)
        defer { sqlite3_close(inspection.connection) }
        // In one transaction, which ends with the connection: other processes may write meanwhile.
        _ = try inspection.firstText("BEGIN")
        return try SQLiteIdentity(inspection.firstText)
    }

    private init(_ path: String, _ mode: Mode) throws {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "?#%")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(
            "file://\(escaped)?\(mode.rawValue)", &connection,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let connection else {
            let failure = SQLiteFailure(code, on: connection)
            sqlite3_close(connection)
            throw failure
        }
        sqlite3_busy_timeout(connection, 5_000)
        self.connection = connection
    }

    private func firstText(_ query: String) throws -> String? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, query, -1, &statement, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code, on: connection) }
        defer { sqlite3_finalize(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) }
        case SQLITE_DONE: return nil
        case let code: throw SQLiteFailure(code, on: connection)
        }
    }
}
