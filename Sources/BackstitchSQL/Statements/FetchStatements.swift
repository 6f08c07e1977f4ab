package import Backstitch

/// The statements of fetch requests.
package struct FetchStatements: Sendable {
    private let model: ResolvedModel
    private let dialect: SQLDialect

    /// The statements for requests on `model`.
    package init(_ model: ResolvedModel, dialect: SQLDialect) {
        self.model = model
        self.dialect = dialect
    }

    /// The rows of a request: key, version and cells.
    package func rows(_ request: StoreFetchRequest) throws -> SQLStatement {
        try statement(request) { $0.statement(columns: EntityStatements(request.entity, dialect: dialect).rowColumns) }
    }

    /// The keys of a request.
    package func keys(_ request: StoreFetchRequest) throws -> SQLStatement {
        try statement(request) { $0.statement(columns: EntityStatements(request.entity, dialect: dialect).aliasedKey) }
    }

    /// How many rows a request gives.
    package func count(_ request: StoreFetchRequest) throws -> SQLStatement {
        try statement(request) { $0.countStatement() }
    }

    private func statement(
        _ request: StoreFetchRequest, _ part: (SQLRowSelection) -> SQLFragment
    ) throws -> SQLStatement {
        guard request.offset >= 0, request.limit ?? 0 >= 0 else {
            throw BackstitchError(
                .invalidRequest,
                "a fetch of \(request.entity.name) cannot have limit \(request.limit.map(String.init) ?? "nil") "
                    + "and offset \(request.offset); neither may be negative")
        }
        let builder = SQLPredicateBuilder(model: model, dialect: dialect.predicates())
        var statement = SQLStatement(dialect)
        statement.isAdHoc = request.predicate != nil || !request.sortDescriptors.isEmpty
        statement.append(part(try builder.selection(request)))
        return statement
    }
}
