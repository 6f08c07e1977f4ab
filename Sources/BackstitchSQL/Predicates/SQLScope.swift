import Backstitch

/// The tables of one `FROM`: an object's row, and what is joined to it while conditions ask for it.
final class SQLScope {
    let entity: ResolvedEntity
    let alias: String
    private var joins: [String] = []
    private var aliases: [String: String] = [:]

    init(entity: ResolvedEntity, alias: String) {
        self.entity = entity
        self.alias = alias
    }

    /// The alias of the table that a step leads to from `source`; `join` writes the join when it is the first time.
    func alias(from source: String, by property: ResolvedProperty, join: () -> (alias: String, sql: String)) -> String {
        let key = "\(source).\(property.name)"
        if let known = aliases[key] { return known }
        let (alias, sql) = join()
        joins.append(sql)
        aliases[key] = alias
        return alias
    }

    /// Adds a join that multiplies rows, for a to-many inside a subquery.
    func append(_ join: String) { joins.append(join) }

    /// The joins, beginning with a space.
    var joined: String { joins.joined() }

    /// Returns the text after `FROM` when the scope is a statement's own.
    func from(_ dialect: any SQLPredicateDialect) throws -> String {
        try check(dialect)
        return "\(SQLNames.quoted(SQLNames.table(of: entity))) AS \(alias)\(joined)"
    }

    func check(_ dialect: any SQLPredicateDialect) throws {
        guard joins.count < dialect.maximumTables else {
            throw BackstitchError(
                .invalidPredicate,
                "the predicate and order use \(joins.count) different relationships of \(entity.name), "
                    + "and the database joins up to \(dialect.maximumTables) tables")
        }
    }
}
