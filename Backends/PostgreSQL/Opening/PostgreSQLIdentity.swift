import Backstitch
import BackstitchSQL

extension StoreIdentity {
    /// Reads the identity of a schema. It has a store if it has the table that identifies one.
    init(_ connection: PostgreSQLConnection, schema: String) throws {
        var statement = SQLStatement(
            .postgreSQL,
            "SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = ")
        statement.append(.text(schema))
        var names: Set<String> = []
        try connection.forEachRow(of: statement) { names.insert($0.text(0)) }
        let isStore = names.contains(StoreTable.name)
        self.init(
            isBlank: names.isEmpty, isStore: isStore, values: isStore ? try StoreTable.values(on: connection) : [:])
    }
}
