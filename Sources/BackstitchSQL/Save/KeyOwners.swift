import Backstitch
import BackstitchSupport

/// Ensures that each key in a store belongs to one object only, across all entities.
///
/// A table's primary key ensures this within the table. Across tables, keys are looked up, but only if they may be
/// taken. These are keys made of values, and keys chosen by the program. Keys of the generator are always new. But a
/// program may give the key of an unsaved object to an object of another entity, and save that one first. So the first
/// chosen key leaves a mark in the store, and with the mark all new keys are looked up.
struct KeyOwners {
    private let connection: any SQLConnection
    private let statements: ModelStatements

    /// An error lists at most this number of faults.
    private static let maximumFaults = 100

    init(_ connection: any SQLConnection, _ statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    /// Checks the inserted keys of a transaction that has taken its number. So any other transaction with inserts has
    /// already committed, or will check later.
    ///
    /// - Parameters:
    ///   - segments: The history of the transaction.
    ///   - givesKeys: Whether the program has chosen keys of new objects.
    ///   - isMarked: Whether the store has the mark.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each new object whose key is taken.
    func check(_ segments: [HistorySegment], givesKeys: Bool, isMarked: Bool) throws {
        let inserts = segments.filter { $0.kind == .insert }
        if givesKeys, !isMarked { try mark() }
        var faults: [BackstitchError] = []
        for segment in inserts {
            faults += try self.faults(
                of: givesKeys || isMarked ? segment.keys : segment.keys.filter(\.isMadeOfValues), segment.entity)
        }
        if !faults.isEmpty { throw BackstitchError.takenKeys(faults) }
    }

    /// The faults of new objects of `entity` whose key belongs to an object of another table.
    func faults(of keys: [ObjectKey], _ entity: ResolvedEntity) throws -> [BackstitchError] {
        guard !keys.isEmpty else { return [] }
        var faults: [BackstitchError] = []
        let others = statements.tables.filter { $0.tableName != entity.tableName }
        // Over a network, one statement covers many tables. Otherwise there are few texts, each prepared once.
        for tables in others.parts(of: connection.dialect.isRemote ? 50 : 1) {
            let tables = Array(tables)
            for (index, taken) in try owners(of: keys, in: tables) where faults.count < Self.maximumFaults {
                let rows = try RowReader(connection, statements: statements).rows(of: tables[index], keys: [taken])
                let id = ObjectID(entityName: entity.name, key: taken)
                if rows.count > 0 { faults.append(.takenKey(id, by: rows.objectID(at: 0))) }
            }
        }
        return faults
    }

    /// The keys that some tables contain, each with the position of its table.
    private func owners(of keys: [ObjectKey], in tables: [ResolvedEntity]) throws -> [(table: Int, key: ObjectKey)] {
        let key = SQLNames.quoted(SQLNames.key)
        var owners: [(table: Int, key: ObjectKey)] = []
        for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
            var statement = SQLStatement(connection.dialect, "")
            for (index, table) in tables.enumerated() {
                statement.append(
                    "\(index == 0 ? "" : " UNION ALL ")SELECT \(index), \(key) "
                        + "FROM \(SQLNames.quoted(SQLNames.table(of: table))) WHERE \(key)")
                statement.append(isOneOf: chunk)
            }
            try connection.forEachRow(of: statement) { owners.append((Int($0.int(0)), try $0.key(1))) }
        }
        return owners
    }

    private func mark() throws {
        try connection.run(StoreTable.replace("kept", for: .givenKeys, dialect: connection.dialect))
    }
}
