import Backstitch

/// The tables of one `FROM`: an object's row, and the tables that conditions join to it.
final class SQLScope {
    let entity: ResolvedEntity
    let alias: String
    private var joins: [String] = []
    private var aliases: [String: String] = [:]

    init(entity: ResolvedEntity, alias: String) {
        self.entity = entity
        self.alias = alias
    }

    /// The alias of a step's destination, starting at `source`. At the first use, `join` writes the join.
    func alias(from source: String, by property: ResolvedProperty, join: () -> (alias: String, sql: String)) -> String {
        let key = "\(source).\(property.name)"
        if let known = aliases[key] { return known }
        let (alias, sql) = join()
        joins.append(sql)
        aliases[key] = alias
        return alias
    }

    /// Adds a join that multiplies rows, for a to-many relationship inside a subquery.
    func append(_ join: String) { joins.append(join) }

    /// The text of all joins; each begins with a space.
    var joined: String { joins.joined() }

    /// The text after `FROM`, for the scope of a whole statement.
    func from(_ dialect: any SQLPredicateDialect) throws -> String {
        try check(dialect)
        return "\(SQLNames.quoted(SQLNames.table(of: entity))) AS \(alias)\(joined)"
    }

    /// Throws if the scope has more tables than the database can join.
    func check(_ dialect: any SQLPredicateDialect) throws {
        guard joins.count < dialect.maximumTables else {
            throw BackstitchError(
                .invalidPredicate,
                "the predicate and order use \(joins.count) different relationships of \(entity.name), "
                    + "and the database joins up to \(dialect.maximumTables) tables")
        }
    }
}
