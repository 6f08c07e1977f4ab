import Backstitch
import GRDB
import GRDBSQLite

/// An error of SQLite's C functions.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code of SQLite.
    let code: Int32
    let message: String

    /// Creates a failure with a code and a message.
    ///
    /// - Parameter message: The connection's message for its last error. It may belong to another error, because some
    ///   calls fail without noting one. SQLite's text for the code is used then.
    init(code: Int32, message: String) {
        self.code = code
        let isOfAnother = message == String(cString: sqlite3_errstr(SQLITE_OK))
        self.message = isOfAnother ? String(cString: sqlite3_errstr(code)) : message
    }

    /// Creates the failure of the call on `connection` that has just returned `code`.
    init(_ code: Int32, on connection: OpaquePointer?) {
        let isNoted = connection != nil && sqlite3_errcode(connection) & 0xFF == code & 0xFF
        self.init(
            code: code, message: String(cString: isNoted ? sqlite3_errmsg(connection) : sqlite3_errstr(code)))
    }

    var description: String { "SQLite \(code): \(message)" }
}

extension SQLiteFailure {
    /// The error for users of stores: the event, the store and the remedy.
    ///
    /// - Parameter store: The file of the store.
    func backstitchError(store: String) -> BackstitchError {
        let (kind, text) = explanation(store: store)
        return BackstitchError(kind, text, cause: self)
    }

    /// Turns any error of a request into that form. Errors of this project stay unchanged.
    static func explain(_ error: any Error, store: String) -> any Error {
        switch error {
        case let failure as SQLiteFailure: return failure.backstitchError(store: store)
        case let error as DatabaseError:
            let failure = SQLiteFailure(
                code: error.extendedResultCode.rawValue, message: error.message ?? "no message")
            return failure.backstitchError(store: store)
        default: return error
        }
    }

    /// Whether an error of a request means that the disk is full, even after it was turned into one for users.
    static func isFull(_ error: any Error) -> Bool {
        let cause = (error as? BackstitchError)?.cause ?? error
        let code = (cause as? SQLiteFailure)?.code ?? (cause as? DatabaseError)?.extendedResultCode.rawValue ?? 0
        // Without room for the index of the log, SQLite reports an I/O error (SQLITE_IOERR_SHMSIZE).
        return code & 0xFF == SQLITE_FULL || code == SQLITE_IOERR | 19 << 8
    }

    /// Whether changes to the tables by another process may be the cause: a column is missing, or a new one requires a
    /// value.
    static func mayTellOfOtherTables(_ error: any Error) -> Bool {
        let code = (error as? SQLiteFailure)?.code ?? (error as? DatabaseError)?.extendedResultCode.rawValue ?? 0
        return [SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT].contains(code & 0xFF)
    }

    /// The code and the message for users.
    private func explanation(store: String) -> (BackstitchError.Code, String) {
        switch code & 0xFF {
        case SQLITE_FULL:
            (
                .storeFailure,
                "the disk of \(store) is full; free some space and try again. Nothing of the request was stored"
            )
        case SQLITE_IOERR:
            (
                .storeFailure,
                "reading or writing \(store) failed (\(message), code \(code)); check the disk and its limits, "
                    + "and try again. "
                    + "Nothing of the request was stored"
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            (
                .storeFailure,
                "\(store) was locked for longer than the option sqliteBusyTimeout allows, by another process or "
                    + "another container of this process; try again, or raise the option"
            )
        case SQLITE_CORRUPT:
            (
                .storeFailure,
                "\(store) is damaged, or its log (\(store)-wal) belongs to another state of the file "
                    + "(\(message)). A file and its log must be copied and restored together; restore both from a "
                    + "backup, or remove both and sync again"
            )
        case SQLITE_NOTADB:
            (.notADatabase, "\(store) is not a SQLite database; choose another file for the store")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            (
                .readOnly,
                "\(store) cannot be written (\(message)); give the program the right to write the file and its folder"
            )
        case SQLITE_CANTOPEN:
            (.storeFailure, "\(store) cannot be opened (\(message)); check that its folder exists and may be written")
        default: requestExplanation(store: store)
        }
    }

    private func requestExplanation(store: String) -> (BackstitchError.Code, String) {
        switch code & 0xFF {
        case SQLITE_NOMEM:
            (.storeFailure, "there was no memory for a request to \(store); ask for fewer rows at a time")
        case SQLITE_TOOBIG:
            (
                .invalidValue,
                "a value for \(store) is longer than SQLite allows (1 GB); keep it as an asset, outside the row"
            )
        case SQLITE_INTERRUPT, SQLITE_ABORT:
            (.cancelled, "a request to \(store) was interrupted; nothing of it was stored")
        case SQLITE_CONSTRAINT: (.constraint, "\(store) refused a row: \(message)")
        case SQLITE_ERROR where message.hasSuffix(" overflow"):
            (.invalidValue, "a result of a request to \(store) is out of range: \(message)")
        case SQLITE_ERROR: (.invalidRequest, "SQLite cannot run the request to \(store): \(message)")
        default: (.internalInconsistency, "SQLite failed on \(store): \(message) (code \(code))")
        }
    }
}
