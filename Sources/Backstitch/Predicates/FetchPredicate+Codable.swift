extension FetchPredicate: Codable {
    private enum CodingKeys: String, CodingKey {
        case constant, and, or, not, left, `operator`, right, options, quantifier
    }

    /// Decodes a predicate from its tree.
    ///
    /// - Throws: `DecodingError` for input that ``encode(to:)`` never writes, and for too deep nesting.
    public init(from decoder: any Decoder) throws {
        // A tree of `maximumDepth` levels has a few keys a level, and subqueries add several more levels.
        guard decoder.codingPath.count < Self.maximumDepth * 8 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the predicate is nested too deeply"))
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let value = try container.decodeIfPresent(Bool.self, forKey: .constant) {
            self = .constant(value)
        } else if let parts = try container.decodeIfPresent([FetchPredicate].self, forKey: .and) {
            self = .and(parts)
        } else if let parts = try container.decodeIfPresent([FetchPredicate].self, forKey: .or) {
            self = .or(parts)
        } else if let part = try container.decodeIfPresent(FetchPredicate.self, forKey: .not) {
            self = .not(part)
        } else {
            self = .comparison(
                FetchComparison(
                    try container.decode(FetchExpression.self, forKey: .left),
                    try container.decode(FetchComparison.Operator.self, forKey: .operator),
                    try container.decode(FetchExpression.self, forKey: .right),
                    options: try container.decodeIfPresent(FetchTextOptions.self, forKey: .options) ?? [],
                    quantifier: try container.decodeIfPresent(FetchComparison.Quantifier.self, forKey: .quantifier)))
        }
    }

    /// Encodes the tree: `{"and": [{"left": {"keyPath": "size"}, "operator": "less", "right": {"int": 3}}]}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .constant(let value): try container.encode(value, forKey: .constant)
        case .and(let parts): try container.encode(parts, forKey: .and)
        case .or(let parts): try container.encode(parts, forKey: .or)
        case .not(let part): try container.encode(part, forKey: .not)
        case .comparison(let comparison):
            if let quantifier = comparison.quantifier { try container.encode(quantifier, forKey: .quantifier) }
            try container.encode(comparison.left, forKey: .left)
            try container.encode(comparison.comparisonOperator, forKey: .operator)
            if !comparison.options.isEmpty { try container.encode(comparison.options, forKey: .options) }
            try container.encode(comparison.right, forKey: .right)
        }
    }
}
