package import Backstitch

/// The statements of fetch requests.
package struct FetchStatements: Sendable {
    private let statements: ModelStatements
    private var model: ResolvedModel { statements.model }
    private var dialect: any SQLDialect { statements.dialect }

    /// Creates the statements for requests on a model, from those of its store.
    package init(_ statements: ModelStatements) { self.statements = statements }

    /// The rows of a request: key, version and cells.
    ///
    /// - Parameter isOrdered: Whether the rows are in the request's order; otherwise in any order.
    package func rows(_ request: StoreFetchRequest, isOrdered: Bool = true) throws -> SQLStatement {
        let columns = statements(of: request.entity).rowColumns
        return try statement(request) { $0.statement(columns: columns, isOrdered: isOrdered) }
    }

    /// The keys of a request's rows.
    ///
    /// - Parameter isOrdered: Whether the keys are in the request's order; otherwise in any order.
    package func keys(_ request: StoreFetchRequest, isOrdered: Bool = true) throws -> SQLStatement {
        let column = statements(of: request.entity).aliasedKey
        return try statement(request) { $0.statement(columns: column, isOrdered: isOrdered) }
    }

    /// Whether the reader sorts the rows by their keys, if the database would have to sort them.
    func isSortedByReader(_ request: StoreFetchRequest) -> Bool {
        !dialect.readsInOrderOfKeys && request.sortDescriptors.isEmpty && request.limit == nil && request.offset == 0
    }

    /// The number of rows that a request returns.
    package func count(_ request: StoreFetchRequest) throws -> SQLStatement {
        try statement(request) { $0.countStatement() }
    }

    private func statements(of entity: ResolvedEntity) -> EntityStatements {
        statements[entity]
    }

    /// A part of a request's selection as a statement.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a negative limit or offset.
    private func statement(
        _ request: StoreFetchRequest, _ part: (SQLRowSelection) -> SQLFragment
    ) throws -> SQLStatement {
        guard request.offset >= 0, request.limit ?? 0 >= 0 else {
            throw BackstitchError(
                .invalidRequest,
                "a fetch of \(request.entity.name) cannot have limit \(request.limit.map(String.init) ?? "nil") "
                    + "and offset \(request.offset); neither may be negative")
        }
        let builder = SQLPredicateBuilder(model: model, dialect: dialect.predicates)
        var statement = SQLStatement(dialect)
        statement.isAdHoc = request.predicate != nil || !request.sortDescriptors.isEmpty
        statement.append(part(try builder.selection(request)))
        return statement
    }
}
