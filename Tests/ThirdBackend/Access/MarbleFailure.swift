import Backstitch
import GRDBSQLite

/// An error of the database, before its meaning for a store is known.
struct MarbleFailure: Error {
    let code: Int32
    let message: String

    init(code: Int32, message: String) {
        self.code = code & 0xFF
        self.message = message
    }

    init(_ code: Int32, on connection: OpaquePointer) {
        self.init(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// Whether tables that another process has changed are a possible cause.
    var mayTellOfOtherTables: Bool { [SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT].contains(code) }

    func backstitchError(store: String) -> BackstitchError {
        let (kind, text): (BackstitchError.Code, String) =
            switch code {
            case SQLITE_NOTADB: (.notADatabase, "is no Marble file; choose another one for the store")
            case SQLITE_READONLY, SQLITE_PERM: (.readOnly, "cannot be written; give the program the right to")
            case SQLITE_CONSTRAINT: (.constraint, "refused a row")
            case SQLITE_ERROR where message.hasSuffix(" overflow"): (.invalidValue, "found a result out of range")
            case SQLITE_ERROR: (.invalidRequest, "cannot run the request")
            default: (.storeFailure, "failed; nothing of the request was stored")
            }
        return BackstitchError(kind, "\(store) \(text): \(message)", cause: self)
    }
}
