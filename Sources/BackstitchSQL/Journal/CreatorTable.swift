import Backstitch

/// The creators of objects. Only a store with rights by creator has the table. Before a query of it, the caller reads
/// the rights.
struct CreatorTable {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    func make() throws { try run(SQLStatement(connection.dialect, SystemTables.creators(connection.dialect))) }

    func removeAll() throws { try run(SQLStatement(connection.dialect, "DELETE FROM \(SystemTables.creator)")) }

    func creators(of keys: [ObjectKey]) throws -> [ObjectKey: String] {
        var creators: [ObjectKey: String] = [:]
        for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
            var statement = SQLStatement(connection.dialect, "SELECT key, name FROM \(SystemTables.creator) WHERE key")
            statement.append(isOneOf: chunk)
            try connection.forEachRow(of: statement) { creators[try $0.key(0)] = $0.text(1) }
        }
        return creators
    }

    func put(_ creators: [ObjectKey: String]) throws {
        let creators = creators.sorted { $0.key < $1.key }
        let statement = SQLBulkBuilder(connection.dialect, [.key, .text])
            .insert(into: SystemTables.creator, ["key, name"], " ON CONFLICT (key) DO UPDATE SET name = excluded.name")
        try connection.runEach(statement, count: creators.count) { run, parameters in
            parameters.bind(creators[run].key, at: 1)
            parameters.bind(creators[run].value, at: 2)
        } done: { _, _ in
        }
    }

    /// Forgets the creators of all objects of an entity that have record states.
    func remove(ofEntity name: String) throws {
        var statement = SQLStatement(
            connection.dialect,
            "DELETE FROM \(SystemTables.creator) WHERE key IN (SELECT key FROM \(SystemTables.record) WHERE entity = ")
        statement.append(.text(name))
        statement.append(")")
        try run(statement)
    }

    func remove(_ keys: [ObjectKey]) throws {
        let builder = SQLBulkBuilder(connection.dialect, [.key])
        let statement = builder.delete(from: SystemTables.creator, where: "key = \(builder.value(0))")
        try connection.runEach(statement, count: keys.count) {
            $1.bind(keys[$0], at: 1)
        } done: { _, _ in
        }
    }

    private func run(_ statement: SQLStatement) throws {
        var statement = statement
        statement.isAdHoc = true
        try connection.run(statement)
    }
}
