import Backstitch

/// The statement of a dictionary fetch. An inner query returns the columns under their names, grouped if requested. An
/// outer query filters, orders and limits its rows. So `having` and the order can use results in the same way as
/// predicates use attributes.
struct DictionaryStatement {
    private let request: StoreDictionaryRequest
    private let model: ResolvedModel
    private let dialect: any SQLDialect
    private let predicates: any SQLPredicateDialect

    init(_ request: StoreDictionaryRequest, model: ResolvedModel, dialect: some SQLDialect) {
        self.request = request
        self.model = model
        self.dialect = dialect
        predicates = dialect.predicates
    }

    func statement() throws -> SQLStatement {
        let alias = SQLRowSelection.alias
        let root = SQLScope(entity: request.results, alias: alias)
        let translator = SQLPredicateTranslator(model: model, dialect: predicates, root: root)
        let outputs = zip(request.columns, names).map { predicates.output("\(alias).\($1)", $0.kind) }
        var query = "SELECT \(outputs.joined(separator: ", ")) FROM (" + (try inner()) + ") AS \(alias)"
        if let having = request.having { query = query + " WHERE " + (try translator.condition(having).fragment) }
        var order = try request.order.map { try translator.order($0) }
        if hasKey { order.append("\(alias).\(Self.keyColumn)") }
        if !order.isEmpty { query = query + " ORDER BY \(order.joined(separator: ", "))" }
        query = query + predicates.limit(request.limit, offset: request.offset)
        var statement = SQLStatement(dialect)
        statement.isAdHoc = true
        statement.append(query)
        return statement
    }

    /// The quoted names of the inner query's columns, as in ``StoreDictionaryRequest/results``.
    private var names: [String] { request.results.properties.map { SQLNames.quoted($0.columnName) } }

    /// Whether the rows are single objects. Their key then completes the order.
    private var hasKey: Bool { !request.isGrouped && !request.isDistinct }
    private static let keyColumn = SQLNames.quoted(SQLNames.key)

    /// The inner query: the requested columns, the fetch's condition and the groups.
    private func inner() throws -> SQLFragment {
        let alias = SQLRowSelection.alias
        let root = SQLScope(entity: request.fetch.entity, alias: alias)
        let translator = SQLPredicateTranslator(model: model, dialect: predicates, root: root)
        var columns = try zip(request.columns, names).map { try expression($0, translator) + " AS \($1)" }
        if hasKey { columns.append(SQLFragment("\(alias).\(Self.keyColumn) AS \(Self.keyColumn)")) }
        let groups = try request.groupBy.map { try value($0, translator) }
        let condition = try request.fetch.predicate.map { try translator.condition($0).fragment }
        var query = "SELECT \(request.isDistinct ? "DISTINCT " : "")" + columns.joined(", ")
        query = query + " FROM \(try root.from(predicates))"
        let kinds = EntityStatements.condition(request.fetch.entityNames).map { SQLFragment($0) }
        let conditions = [kinds, condition?.inParentheses].compactMap { $0 }
        if !conditions.isEmpty { query = query + " WHERE " + conditions.joined(" AND ") }
        if !groups.isEmpty { query = query + " GROUP BY " + groups.joined(", ") }
        return query
    }

    /// The SQL of one column: a value, an aggregate of it, or the number of rows if it has no path.
    private func expression(
        _ column: StoreDictionaryRequest.Column, _ translator: SQLPredicateTranslator
    ) throws -> SQLFragment {
        guard let path = column.path else { return SQLFragment("count(*)") }
        let value = try value(path, translator)
        return column.aggregate.map { predicates.aggregate($0, value, path.kind) } ?? value
    }

    private func value(_ path: PlannedPath, _ translator: SQLPredicateTranslator) throws -> SQLFragment {
        predicates.grouped(try translator.column(of: path).sql, path.kind)
    }
}
