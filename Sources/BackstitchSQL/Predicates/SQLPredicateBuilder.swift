package import Backstitch

/// Translates resolved predicates and sort descriptors to SQL.
///
/// - Paths through to-one relationships are LEFT JOINs. Each path is joined once, even if conditions and order use it
///   several times.
/// - Quantifiers are `EXISTS` subqueries. Counts are subqueries, or `EXISTS` for a test against zero.
/// - Negation is moved down to the comparisons, so only there NULL must differ from false. `x < ?` stays unchanged, and
///   can use an index. Only its negation becomes `NOT coalesce(x < ?, (1 = 0))`.
package struct SQLPredicateBuilder: Sendable {
    private let model: ResolvedModel
    private let dialect: any SQLPredicateDialect

    /// Creates a builder for the tables of a model.
    package init(model: ResolvedModel, dialect: any SQLPredicateDialect) {
        self.model = model
        self.dialect = dialect
    }

    /// The parts of the statement for rows of `entity`. A predicate and descriptors that are not yet resolved are
    /// resolved first.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when they do not fit the model, or when the statement would
    ///   have more placeholders or tables than the database allows.
    package func selection(
        of entity: ResolvedEntity, where predicate: FetchPredicate? = nil,
        sortedBy descriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0, entityNames: [String]? = nil
    ) throws -> SQLRowSelection {
        let root = SQLScope(entity: entity, alias: SQLRowSelection.alias)
        let translator = SQLPredicateTranslator(model: model, dialect: dialect, root: root)
        let resolved = try predicate?.planned(for: entity, in: model)
        var condition = try resolved.map { try translator.condition($0).fragment }
        if let kinds = EntityStatements.condition(entityNames) {
            let others = condition.flatMap { $0 == SQLPredicateTranslator.always ? nil : $0 }
            condition = others.map { "\(kinds) AND " + $0.inParentheses } ?? SQLFragment(kinds)
        }
        let order = try descriptors.map {
            try translator.order($0.path == nil ? $0.resolved(for: entity, in: model) : $0)
        }
        if let condition, condition.bindings.count > dialect.maximumBindings {
            throw BackstitchError(
                .invalidPredicate,
                "the predicate has \(condition.bindings.count) constants, and the database takes "
                    + "\(dialect.maximumBindings) in a statement")
        }
        return SQLRowSelection(
            from: try root.from(dialect), condition: condition == SQLPredicateTranslator.always ? nil : condition,
            order: (order + ["\(SQLRowSelection.alias).\(SQLNames.quoted(SQLNames.key))"]).joined(separator: ", "),
            limit: dialect.limit(limit, offset: offset))
    }

    /// The parts of the statement for a fetch.
    ///
    /// - Throws: The same errors as ``selection(of:where:sortedBy:limit:offset:entityNames:)``.
    package func selection(_ request: StoreFetchRequest) throws -> SQLRowSelection {
        try selection(
            of: request.entity, where: request.predicate, sortedBy: request.sortDescriptors, limit: request.limit,
            offset: request.offset, entityNames: request.entityNames)
    }
}
