package import Backstitch

/// Reads what transactions did, for those who must be told.
package struct HistoryReader {
    private let connection: any SQLConnection

    /// A reader through a connection.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// The number of the last transaction; 0 before the first. All up to it are committed.
    package func lastNumber() throws -> Int64 { try HistoryWriter(connection).lastNumber() }

    /// What the transactions after `number` and up to `last` did, as if they were one, without those that have one of these tokens.
    package func changes(after number: Int64, through last: Int64, except own: [ObjectKey]) throws -> StoreChanges {
        var statement = SQLStatement(
            connection.dialect,
            "SELECT c.transaction_number, c.entity, c.key, c.kind FROM \(SystemTables.change) AS c "
                + "JOIN \(SystemTables.transaction) AS t ON t.number = c.transaction_number WHERE t.number > ")
        statement.append(.int(number))
        statement.append(" AND t.number <= ")
        statement.append(.int(last))
        if !own.isEmpty {
            statement.append(" AND (t.token IS NULL OR NOT t.token")
            statement.append(isOneOf: own[...])
            statement.append(")")
        }
        statement.append(" ORDER BY c.transaction_number, c.position")
        var all = StoreChanges(), current = StoreChanges()
        var currentNumber = number
        try connection.forEachRow(of: statement) { row in
            if row.int(0) != currentNumber {
                all.merge(current)
                current = StoreChanges()
                currentNumber = row.int(0)
            }
            let id = ObjectID(entityName: row.text(1), key: try row.key(2))
            switch HistoryKind(rawValue: row.int(3)) {
            case .insert: current.inserted.append(id)
            case .update: current.updated.append(id)
            case .delete: current.deleted.append(id)
            case nil:
                throw BackstitchError(
                    .storeFailure,
                    "the history of \(id) is damaged: nothing has the kind \(row.int(3)); restore the store",
                    objectID: id)
            }
        }
        all.merge(current)
        return all
    }
}
