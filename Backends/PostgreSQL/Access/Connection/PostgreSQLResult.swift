import CLibPQ

/// The server's answer to one statement. Rows and columns are counted from zero.
final class PostgreSQLResult {
    let pointer: OpaquePointer

    /// Takes ownership of a result of the client library.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    /// The kind of answer: rows, success or an error.
    var status: ExecStatusType { PQresultStatus(pointer) }

    var rowCount: Int { Int(PQntuples(pointer)) }

    var columnCount: Int { Int(PQnfields(pointer)) }

    /// The number of rows that a statement wrote.
    var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The command tag of the statement, for instance `"COMMIT"` or `"INSERT 0 1"`.
    var tag: String { String(cString: PQcmdStatus(pointer)) }

    /// The type of a column in binary form; 0 for a column in text form.
    func type(of column: Int) -> PostgreSQLType {
        guard PQfformat(pointer, Int32(column)) == 1 else { return PostgreSQLType(0) }
        return PostgreSQLType(PQftype(pointer, Int32(column)))
    }

    /// The bytes of a value, valid as long as the result; nil for null and for a missing value.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let count = PQgetlength(pointer, row, column)
        // Only an empty value can be null, so most values need no second call.
        if count == 0, PQgetisnull(pointer, row, column) != 0 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: Int(count))
    }

    /// The failure in the result, without secrets in its message.
    func failure(_ kind: PostgreSQLFailure.Kind, hiding secrets: ConnectionSecrets) -> PostgreSQLFailure {
        let primary = field(77) ?? String(cString: PQresultErrorMessage(pointer))
        return PostgreSQLFailure(kind, state: field(67) ?? "", secrets.hidden(in: primary))
    }

    /// A field of an error: 67 (`C`) is the SQLSTATE, 77 (`M`) is the message.
    private func field(_ code: Int32) -> String? { PQresultErrorField(pointer, code).map { String(cString: $0) } }
}
