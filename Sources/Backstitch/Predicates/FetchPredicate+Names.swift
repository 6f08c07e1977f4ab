extension FetchPredicate {
    /// The first names of all paths from the subject.
    var firstNames: Set<String> {
        switch self {
        case .constant: []
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.firstNames) }
        case .not(let part): part.firstNames
        case .comparison(let comparison): comparison.left.firstNames.union(comparison.right.firstNames)
        }
    }
}

extension FetchExpression {
    fileprivate var firstNames: Set<String> {
        switch self {
        case .value, .variable: []
        case .list(let elements): elements.reduce(into: []) { $0.formUnion($1.firstNames) }
        case .keyPath(let path), .count(let path): path.firstNames
        case .subqueryCount(let subquery): subquery.collection.firstNames.union(subquery.predicate.firstNames)
        }
    }
}

extension FetchKeyPath {
    fileprivate var firstNames: Set<String> { root == .subject ? Set(names.prefix(1)) : [] }
}
