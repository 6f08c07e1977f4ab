package import Backstitch

/// The statements that read and write the links of a many-to-many relationship, as one of its sides sees them.
package struct LinkStatements: Sendable {
    private let dialect: any SQLDialect
    private let table: String
    private let near: String
    private let far: String

    /// Creates the statements of a link table.
    package init(_ table: SQLLinkTable, dialect: some SQLDialect) {
        self.dialect = dialect
        self.table = SQLNames.quoted(table.name)
        near = SQLNames.quoted(table.near)
        far = SQLNames.quoted(table.far)
    }

    /// Pairs of near and far keys, for the links of these near keys.
    package func links(of keys: ArraySlice<ObjectKey>) -> SQLStatement {
        var statement = SQLStatement(dialect, "SELECT \(near), \(far) FROM \(table) WHERE \(near)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// Adds a link, unless it exists. The parameters are the near and the far key.
    package var insert: SQLBulkStatement {
        SQLBulkBuilder(dialect, [.key, .key]).insert(
            into: table, [near, far], " ON CONFLICT DO NOTHING", returning: [(near, 0), (far, 1)])
    }

    /// Removes a link. The parameters are the near and the far key.
    package var delete: SQLBulkStatement {
        let builder = SQLBulkBuilder(dialect, [.key, .key])
        return builder.delete(
            from: table, where: "\(near) = \(builder.value(0)) AND \(far) = \(builder.value(1))",
            returning: [(near, 0), (far, 1)])
    }

    /// Removes all links of a near key. The parameter is that key.
    package var deleteAll: SQLBulkStatement {
        let builder = SQLBulkBuilder(dialect, [.key])
        return builder.delete(from: table, where: "\(near) = \(builder.value(0))")
    }

    /// The query for the linked rows of `destination`, up to the near keys. It returns the near key, then the row.
    func relatedHead(_ destination: EntityStatements, keysOnly: Bool) -> String {
        "SELECT l.\(near), \(destination.columns(keysOnly: keysOnly)) FROM \(table) AS l "
            + "JOIN \(destination.aliasedTable) ON \(destination.aliasedKey) = l.\(far) WHERE l.\(near)"
    }
}
