import Backstitch
import BackstitchSupport

/// Sees to it that no two objects of a store have one key, whatever their entities.
///
/// A table's primary key does so within the table. Across tables keys are looked up, and only those that may be taken:
/// keys that are made of values, and keys that the program has chosen. Those that the generator makes are new. But a
/// program may give the key of an object that is not saved yet to an object of another entity, and save that one first.
/// So the first chosen key leaves a mark in the store, and where the mark is all new keys are looked up.
struct KeyOwners {
    private let connection: any SQLConnection
    private let statements: ModelStatements

    /// The most faults that one error lists.
    private static let maximumFaults = 100

    init(_ connection: any SQLConnection, _ statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    /// Looks at what a transaction has written, which has taken its number: whoever else has inserted has committed, or
    /// looks later.
    ///
    /// - Parameters:
    ///   - segments: Its history.
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

    /// A fault for each of these keys of objects of `entity` that an object of another table has.
    func faults(of keys: [ObjectKey], _ entity: ResolvedEntity) throws -> [BackstitchError] {
        guard !keys.isEmpty else { return [] }
        var faults: [BackstitchError] = []
        let others = statements.tables.filter { $0.tableName != entity.tableName }
        // One statement for many tables where each takes a way over a network; else few texts, each prepared once.
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
