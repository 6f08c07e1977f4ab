package import Backstitch
import Foundation

/// Reads the changes of transactions from history, to report them.
package struct HistoryReader {
    private let connection: any SQLConnection

    /// Creates a reader on a connection.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// The number of the last transaction; 0 before the first. All transactions up to it are committed.
    package func lastNumber() throws -> Int64 { try HistoryWriter(connection).lastNumber() }

    /// Returns the changes of the transactions after `number` and up to `last`, combined as if they were one
    /// transaction. Transactions with one of these tokens are left out.
    package func changes(after number: Int64, through last: Int64, except own: [ObjectKey]) throws -> StoreChanges {
        var statement = SQLStatement(
            connection.dialect,
            "SELECT c.transaction_number, c.entity, c.keys, c.kind, c.properties FROM \(SystemTables.change) AS c "
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
        // In the stored form: many objects mostly have few combinations.
        var properties: [String: Set<String>] = [:]
        try connection.forEachRow(of: statement) { row in
            if row.int(0) != currentNumber {
                all.merge(current)
                current = StoreChanges()
                currentNumber = row.int(0)
            }
            let ids = try identities(row, entity: 1, keys: 2)
            switch try kind(row.int(3), ids) {
            case .insert: current.inserted += ids
            case .update:
                current.updated += ids
                properties[row.text(1), default: []].insert(row.text(4))
            case .delete: current.deleted += ids
            }
        }
        all.merge(current)
        all.changedProperties = properties.mapValues { Set($0.flatMap { $0.split(separator: ",").map(String.init) }) }
        return all
    }

    /// The date of a transaction; nil when history has no transaction of that number.
    func date(of number: Int64) throws -> Date? {
        var statement = SQLStatement(
            connection.dialect, "SELECT timestamp FROM \(SystemTables.transaction) WHERE number = ")
        statement.append(.int(number))
        var date: Date?
        try connection.forEachRow(of: statement) { date = Date(milliseconds: $0.int(0)) }
        return date
    }

    /// The transactions after a number, oldest first, `limit` at most.
    package func transactions(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction] {
        var statement = SQLStatement(
            connection.dialect,
            "SELECT number, timestamp, author, context FROM \(SystemTables.transaction) WHERE number > ")
        statement.append(.int(number))
        statement.append(" ORDER BY number LIMIT ")
        statement.append(.int(Int64(max(limit, 0))))
        let storeID = try identifier()
        var headers: [(number: Int64, timestamp: Int64, author: String?, context: String?)] = []
        try connection.forEachRow(of: statement) {
            headers.append(($0.int(0), $0.int(1), $0.optionalText(2), $0.optionalText(3)))
        }
        guard let last = headers.last?.number else { return [] }
        let changes = try changes(after: number, through: last)
        return headers.map {
            PersistentHistoryTransaction(
                number: $0.number, timestamp: Date(milliseconds: $0.timestamp), storeID: storeID, author: $0.author,
                contextName: $0.context, changes: changes[$0.number] ?? [])
        }
    }

    private func changes(after number: Int64, through last: Int64) throws -> [Int64: [PersistentHistoryChange]] {
        var statement = SQLStatement(
            connection.dialect,
            "SELECT transaction_number, entity, keys, kind, properties, tombstone FROM \(SystemTables.change) "
                + "WHERE transaction_number > ")
        statement.append(.int(number))
        statement.append(" AND transaction_number <= ")
        statement.append(.int(last))
        statement.append(" ORDER BY transaction_number, position")
        var changes: [Int64: [PersistentHistoryChange]] = [:]
        try connection.forEachRow(of: statement) { row in
            let ids = try identities(row, entity: 1, keys: 2)
            let kind = try kind(row.int(3), ids).publicKind
            let properties = Set(row.text(4).split(separator: ",").map(String.init))
            let tombstone = try row.isNull(5) ? [:] : Tombstones.decode(row.bytes(5))
            changes[row.int(0), default: []] += ids.map {
                PersistentHistoryChange(objectID: $0, kind: kind, updatedProperties: properties, tombstone: tombstone)
            }
        }
        return changes
    }

    /// The objects of a history row.
    private func identities(_ row: any SQLRow, entity: Int, keys: Int) throws -> [ObjectID] {
        let name = row.text(entity)
        guard let keys = ObjectKey.keys(row.bytes(keys)), !keys.isEmpty else {
            throw BackstitchError(
                .storeFailure, "the history of \(name) is damaged: a change has no keys; restore the store", key: name)
        }
        return keys.map { ObjectID(entityName: name, key: $0) }
    }

    private func kind(_ number: Int64, _ ids: [ObjectID]) throws -> HistoryKind {
        if let kind = HistoryKind(rawValue: number) { return kind }
        let names = ids.map(\.description).joined(separator: ", ")
        throw BackstitchError(
            .storeFailure, "the history of \(names) is damaged: nothing has the kind \(number); restore the store",
            objectID: ids.first)
    }

    private func identifier() throws -> UUID {
        var text: String?
        let query = SQLStatement(connection.dialect, StoreTable.query(for: .identifier))
        try connection.forEachRow(of: query) { text = $0.text(0) }
        if let identifier = text.flatMap({ UUID(uuidString: $0) }) { return identifier }
        throw BackstitchError(.storeFailure, "the store's identifier is gone; restore it from a backup")
    }
}

extension HistoryKind {
    fileprivate var publicKind: PersistentHistoryChange.Kind {
        switch self {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        }
    }
}
