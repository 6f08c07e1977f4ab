import Backstitch

extension SQLPredicateTranslator {
    /// The SQL of an operand with one value.
    func operand(_ operand: PlannedOperand) throws -> SQLOperand {
        switch operand {
        case .constant(let value):
            let kind = value.constantKind
            return SQLOperand(dialect.constant(value, as: kind), kind)
        case .path(let path): return try column(of: path)
        case .count(let path, let variable, let predicate):
            return SQLOperand("(" + (try rows("count(*)", path, variable, predicate)) + ")", .integer)
        }
    }

    /// The column at the end of a path through to-one relationships.
    func column(of path: PlannedPath) throws -> SQLOperand {
        try path.requireStored()
        let scope = try scope(of: path.root)
        return SQLOperand(
            dialect.column(column(of: path.steps[...], from: scope.alias, in: scope), as: path.kind), path.kind)
    }

    private func column(of steps: ArraySlice<PlannedStep>, from alias: String, in scope: SQLScope) -> String {
        guard let last = steps.last, !last.isToMany else {
            return column(SQLNames.key, of: join(steps, from: alias, in: scope))
        }
        if last.property.relationship?.storage == .inverseColumn {
            return column(SQLNames.key, of: join(steps, from: alias, in: scope))
        }
        return column(last.property.columnName, of: join(steps.dropLast(), from: alias, in: scope))
    }

    private func column(_ name: String, of alias: String) -> String { "\(alias).\(SQLNames.quoted(name))" }

    /// Joins the destinations of to-one steps, and returns the alias of the last.
    private func join(_ steps: ArraySlice<PlannedStep>, from alias: String, in scope: SQLScope) -> String {
        steps.reduce(alias) { source, step in
            scope.alias(from: source, by: step.property) { toOneJoin(step, from: source) }
        }
    }

    /// The alias and the join for the destination of a to-one step.
    private func toOneJoin(_ step: PlannedStep, from source: String) -> (alias: String, sql: String) {
        guard let relationship = step.property.relationship, let destination = step.destination else {
            return (source, "")
        }
        let alias = newAlias()
        let table = SQLNames.quoted(SQLNames.table(of: destination))
        var key = column(step.property.columnName, of: source)
        if relationship.storage == .inverseColumn {
            // In a one-to-one relationship each side has one destination. If a store has two, the first one counts.
            let other = newAlias()
            let inverse = column(model.inverse(of: relationship).columnName, of: other)
            let otherKey = column(SQLNames.key, of: other)
            key =
                "(SELECT \(otherKey) FROM \(table) AS \(other) WHERE \(inverse) = \(column(SQLNames.key, of: source)) "
                + "ORDER BY \(otherKey) LIMIT 1)"
        }
        return (alias, " LEFT JOIN \(table) AS \(alias) ON \(column(SQLNames.key, of: alias)) = \(key)")
    }
}

extension SQLPredicateTranslator {
    /// Tests with `EXISTS` whether an element passes a test. The elements are at the end of a path through to-many
    /// relationships.
    func exists(_ path: PlannedPath, _ test: (SQLOperand) throws -> SQLFragment) throws -> SQLFragment {
        guard let first = path.steps.firstIndex(where: \.isToMany) else {
            throw BackstitchError(.internalInconsistency, "a quantifier over \(path.summary), which is not to-many")
        }
        let (scope, start) = try collection(path, first)
        var alias = scope.alias
        // Steps up to the last to-many multiply the rows. The steps after it lead to at most one row each.
        var rest = path.steps[(first + 1)...]
        while let next = rest.firstIndex(where: \.isToMany) {
            let source = join(rest[..<next], from: alias, in: scope)
            alias = newAlias()
            scope.append(try toManyJoin(path.steps[next], from: source, as: alias))
            rest = path.steps[(next + 1)...]
        }
        try path.requireStored()
        let element = SQLOperand(dialect.column(column(of: rest, from: alias, in: scope), as: path.kind), path.kind)
        let condition = try test(element)
        try scope.check(dialect)
        return "EXISTS (SELECT 1 FROM \(start.table)\(scope.joined) WHERE \(start.link) AND " + condition + ")"
    }

    /// The rows at the end of a path to a to-many relationship. A predicate on the variable may limit them.
    func rows(
        _ columns: String, _ path: PlannedPath, _ variable: String?, _ predicate: FetchPredicate?
    ) throws -> SQLFragment {
        let (scope, start) = try collection(path, path.steps.count - 1)
        var condition = Self.always
        if let variable, let predicate {
            condition = try with(variable, as: scope) { try self.condition(predicate).fragment }
        }
        try scope.check(dialect)
        let select = "SELECT \(columns) FROM \(start.table)\(scope.joined) WHERE \(start.link)"
        return condition == Self.always ? SQLFragment(select) : "\(select) AND " + condition
    }

    /// A scope for the destinations of a path's first to-many relationship, and the condition that links them to the
    /// rows before it.
    private func collection(
        _ path: PlannedPath, _ index: Int
    ) throws -> (scope: SQLScope, start: (table: String, link: String)) {
        let outer = try scope(of: path.root)
        let source = join(path.steps[..<index], from: outer.alias, in: outer)
        let step = path.steps[index]
        guard let destination = step.destination else {
            throw BackstitchError(.internalInconsistency, "\(path.summary) does not lead to objects")
        }
        let alias = newAlias()
        return (SQLScope(entity: destination, alias: alias), try toMany(step, from: source, as: alias))
    }

    private func toManyJoin(_ step: PlannedStep, from source: String, as alias: String) throws -> String {
        let (table, link) = try toMany(step, from: source, as: alias)
        return " JOIN \(table) ON \(link)"
    }

    /// The table with the destinations of a to-many relationship, through its link table if it has one. The condition
    /// links it to the source.
    private func toMany(
        _ step: PlannedStep, from source: String, as alias: String
    ) throws -> (table: String, link: String) {
        guard let relationship = step.property.relationship, let destination = step.destination else {
            throw BackstitchError(
                .internalInconsistency, "\(step.entity.name).\(step.property.name) is not a relationship")
        }
        let table = "\(SQLNames.quoted(SQLNames.table(of: destination))) AS \(alias)"
        let sourceKey = column(SQLNames.key, of: source)
        guard let links = SQLLinkTable(of: step.property, in: step.entity, model: model) else {
            return (table, "\(column(model.inverse(of: relationship).columnName, of: alias)) = \(sourceKey)")
        }
        let linkAlias = newAlias()
        let tables =
            "(\(SQLNames.quoted(links.name)) AS \(linkAlias) JOIN \(table) "
            + "ON \(column(SQLNames.key, of: alias)) = \(column(links.far, of: linkAlias)))"
        return (tables, "\(column(links.near, of: linkAlias)) = \(sourceKey)")
    }
}

extension Value {
    /// The kind of a constant without a column beside it.
    fileprivate var constantKind: PlannedKind {
        switch self {
        case .null, .string, .uri, .object: .text
        case .bool: .boolean
        case .int: .integer
        case .double: .double
        case .decimal: .decimal
        case .date: .date
        case .data, .asset, .file: .bytes
        case .uuid: .uuid
        }
    }
}
