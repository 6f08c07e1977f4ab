import Backstitch

/// Translates one predicate. Aliases are numbered throughout the statement.
final class SQLPredicateTranslator {
    // A database may read TRUE and FALSE as columns if a table has columns of these names.
    static let always = SQLFragment("(1 = 1)")
    static let never = SQLFragment("(1 = 0)")

    let model: ResolvedModel
    let dialect: any SQLPredicateDialect
    private var scopes: [FetchKeyPath.Root: SQLScope]
    private var aliasCount = 0

    init(model: ResolvedModel, dialect: any SQLPredicateDialect, root: SQLScope) {
        self.model = model
        self.dialect = dialect
        scopes = [.subject: root]
    }

    func newAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    func scope(of root: FetchKeyPath.Root) throws -> SQLScope {
        guard let scope = scopes[root] else {
            throw BackstitchError(.internalInconsistency, "a resolved predicate has the free variable \(root)")
        }
        return scope
    }

    /// Runs `body` while a subquery's variable means the rows of a scope.
    func with<Result>(_ variable: String, as scope: SQLScope, _ body: () throws -> Result) rethrows -> Result {
        scopes[.variable(variable)] = scope
        defer { scopes[.variable(variable)] = nil }
        return try body()
    }

    /// The condition that is true if the predicate holds, or, negated, if it does not. Otherwise it is false or NULL.
    func condition(_ predicate: FetchPredicate, isNegated: Bool = false) throws -> SQLCondition {
        switch predicate {
        case .constant(let value): return SQLCondition(fragment: value != isNegated ? Self.always : Self.never)
        case .not(let part): return try condition(part, isNegated: !isNegated)
        case .and(let parts):
            return combined(try parts.map { try condition($0, isNegated: isNegated) }, isAnd: !isNegated)
        case .or(let parts):
            return combined(try parts.map { try condition($0, isNegated: isNegated) }, isAnd: isNegated)
        case .comparison(let comparison):
            guard let plan = comparison.plan else {
                throw BackstitchError(.internalInconsistency, "\"\(comparison)\" is not resolved")
            }
            return SQLCondition(fragment: try condition(plan, isNegated: isNegated))
        }
    }

    /// A term of `ORDER BY` for a sort descriptor.
    func order(_ descriptor: FetchSortDescriptor) throws -> String {
        guard let path = descriptor.path else {
            throw BackstitchError(.internalInconsistency, "the order by \(descriptor.keyPath) is not resolved")
        }
        let operand = try column(of: path)
        let folded = SQLOperand(dialect.folded(operand.sql, descriptor.options), operand.kind)
        return dialect.order(folded, ascending: descriptor.ascending)
    }
}

extension SQLPredicateTranslator {
    /// Combines conditions by AND or OR, and simplifies constants.
    private func combined(_ conditions: [SQLCondition], isAnd: Bool) -> SQLCondition {
        let (neutral, absorbing) = isAnd ? (Self.always, Self.never) : (Self.never, Self.always)
        if conditions.contains(where: { $0.fragment == absorbing }) { return SQLCondition(fragment: absorbing) }
        // A database's parser keeps an open parenthesis, and the text before it, on a stack of limited size. So the
        // deepest term is first. The order of terms has no effect on a planner.
        let terms = conditions.filter { $0.fragment != neutral }.enumerated()
            .sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }.map(\.element)
        return terms.isEmpty ? SQLCondition(fragment: neutral) : tree(terms[...], isAnd ? " AND " : " OR ")
    }

    /// Combines terms as a balanced tree. Databases read `a OR b OR c …` as a tree that leans to one side, as deep as
    /// the chain is long, and limit the depth. So chains of more than 100 terms are split in halves, in parentheses.
    private func tree(_ terms: ArraySlice<SQLCondition>, _ separator: String) -> SQLCondition {
        if terms.count == 1 { return terms[terms.startIndex] }
        let longest = 100
        var terms = terms
        if terms.count > longest {
            let middle = terms.startIndex + terms.count / 2
            terms = [tree(terms[..<middle], separator), tree(terms[middle...], separator)]
        }
        let fragment = terms.map(\.fragment).joined(separator).inParentheses
        return SQLCondition(fragment: fragment, depth: 1 + (terms.map(\.depth).max() ?? 0))
    }
}
