import BackstitchSQL

/// A column of a table's primary key, for statements that find rows by their keys.
enum KeyColumn {
    case integer(String)
    case text(String)
    case bytes(String)

    /// The name, quoted if it has to be.
    var name: String {
        switch self {
        case .integer(let name), .text(let name), .bytes(let name): name
        }
    }

    /// The type of a placeholder for the column.
    var type: SQLBulkType {
        switch self {
        case .integer: .integer
        case .text: .text
        case .bytes: .bytes
        }
    }

    /// Reads a value of the column, and returns what binds it.
    ///
    /// - Parameter place: The place of the column in the row and in the statement, from 0 on.
    func binding(_ row: any SQLRow, _ place: Int) -> (any SQLBinder) -> Void {
        switch self {
        case .integer:
            let value = row.int(place)
            return { $0.bind(value, at: place + 1) }
        case .text:
            let value = row.text(place)
            return { $0.bind(value, at: place + 1) }
        case .bytes:
            let value = row.bytes(place)
            return { $0.bind(value, at: place + 1) }
        }
    }
}
