/// Parses a predicate format: operators and their precedence. Operands are in `FormatParser+Operands.swift`.
///
/// A parenthesis may hold a predicate or an operand, and only the text after it decides. So each rule returns either,
/// and its caller checks for the kind it needs. No rule ever goes back, so the time is proportional to the length.
struct FormatParser {
    /// The result of a rule.
    enum Item {
        case predicate(FetchPredicate)
        case expression(FetchExpression)
    }

    private(set) var scanner: FormatScanner
    private(set) var token = FormatToken.end
    private(set) var position = 0
    private var depth = 0
    private let arguments: [(any PredicateArgument)?]
    private var usedArguments = 0

    init(_ format: String, _ arguments: [(any PredicateArgument)?]) throws {
        scanner = FormatScanner(format)
        self.arguments = arguments
        try advance()
    }

    mutating func parse() throws -> FetchPredicate {
        let predicate = try predicate()
        guard token == .end else { throw wrong(wordsForEnd) }
        guard usedArguments == arguments.count else {
            throw BackstitchError(
                .invalidPredicate,
                "the predicate format uses \(usedArguments) of \(arguments.count) arguments (one for each %@, %K or %d outside of "
                    + "quotes): "
                    + String(String.UnicodeScalarView(scanner.scalars)))
        }
        return predicate
    }

    mutating func advance() throws { (token, position) = try scanner.scan() }

    mutating func take(_ symbol: String) throws -> Bool {
        guard isAt("", or: symbol) else { return false }
        try advance()
        return true
    }

    /// Whether the current token is a keyword, or the symbol with the same meaning.
    func isAt(_ keyword: String, or symbol: String? = nil) -> Bool {
        switch token {
        case .word(let word): word.uppercased() == keyword
        case .symbol(let found): found == symbol
        default: false
        }
    }

    mutating func takeKeyword(_ keywords: String..., or symbol: String? = nil) throws -> Bool {
        guard keywords.contains(where: { isAt($0, or: symbol) }) else { return false }
        try advance()
        return true
    }

    /// Makes an error at the current token.
    func wrong(_ expected: String) -> BackstitchError { wrong(expected, found: token.summary, at: position) }

    func wrong(_ expected: String, found: String? = nil, at place: Int) -> BackstitchError {
        scanner.wrong(expected, found: found, at: place)
    }

    /// Takes the next argument; an error if there are no more.
    mutating func nextArgument(for specifier: FormatSpecifier) throws -> (any PredicateArgument)? {
        guard usedArguments < arguments.count else {
            throw wrong("an argument for this \(specifier.text); there are only \(arguments.count)", at: position)
        }
        usedArguments += 1
        return arguments[usedArguments - 1]
    }

    /// Enters some levels of nesting. The caller also calls ``leave(_:)``, unless an error ends the parsing.
    mutating func enter(_ levels: Int = 1) throws {
        depth += levels
        guard depth <= FetchPredicate.maximumDepth else {
            throw wrong("at most \(FetchPredicate.maximumDepth) levels of parentheses, NOT and SUBQUERY", at: position)
        }
    }

    mutating func leave(_ levels: Int = 1) { depth -= levels }
}

/// These functions call each other recursively. They are kept small, because their stack frames add up with each level.
extension FormatParser {
    /// Returns the predicate of an item. If it is an operand, an operator is missing at the current token.
    private func require(_ item: Item) throws -> FetchPredicate {
        guard case .predicate(let predicate) = item else {
            throw wrong(wordsForOperator)
        }
        return predicate
    }

    /// Reads a predicate by the widest rule, as far as it goes.
    mutating func predicate() throws -> FetchPredicate {
        let item = try disjunction()
        return try require(item)
    }

    mutating func disjunction() throws -> Item {
        let item = try conjunction()
        return isAt("OR", or: "||") ? .predicate(.or(try chain(item, "OR", "||") { try $0.conjunction() })) : item
    }

    private mutating func conjunction() throws -> Item {
        let item = try negation()
        return isAt("AND", or: "&&") ? .predicate(.and(try chain(item, "AND", "&&") { try $0.negation() })) : item
    }

    /// Reads the rest of a chain of `AND` or of `OR` after its first item, and returns all its parts.
    private mutating func chain(
        _ first: Item, _ keyword: String, _ symbol: String,
        _ rule: (inout FormatParser) throws -> Item
    ) throws -> [FetchPredicate] {
        var parts = [try require(first)]
        while try takeKeyword(keyword, or: symbol) {
            // In two steps: the error must point to the token after the item.
            let item = try rule(&self)
            parts.append(try require(item))
        }
        return parts
    }

    private mutating func negation() throws -> Item {
        let count = try negations()
        guard count > 0 else { return try comparison() }
        try enter(count)
        let item = try comparison()
        leave(count)
        return .predicate(negated(try require(item), times: count))
    }

    private mutating func negations() throws -> Int {
        var count = 0
        while try takeKeyword("NOT", or: "!") { count += 1 }
        return count
    }

    private func negated(_ predicate: FetchPredicate, times: Int) -> FetchPredicate {
        (0..<times).reduce(predicate) { inner, _ in .not(inner) }
    }

    private mutating func comparison() throws -> Item {
        if let constant = try constant() { return .predicate(constant) }
        let quantifier = try quantifier()
        let left = try operand()
        guard let (comparisonOperator, options) = try operatorAfter(left, quantifier) else { return left }
        let start = position
        let right = try rightOperand(of: comparisonOperator)
        return .predicate(try comparison(left, comparisonOperator, right, start, options, quantifier))
    }

    private mutating func constant() throws -> FetchPredicate? {
        if try takeKeyword("TRUEPREDICATE") { return .constant(true) }
        return try takeKeyword("FALSEPREDICATE") ? .constant(false) : nil
    }

    /// Reads the operator after a left side; nil if the left side is a predicate, or no operator follows.
    private mutating func operatorAfter(
        _ left: Item, _ quantifier: FetchComparison.Quantifier?
    ) throws -> (FetchComparison.Operator, FetchTextOptions)? {
        if case .predicate = left {
            if quantifier != nil { throw wrong("a key path and an operator after ANY, ALL or NONE") }
            return nil
        }
        guard let comparisonOperator = try comparisonOperator() else {
            if quantifier != nil { throw wrong(wordsForOperator) }
            return nil
        }
        return (comparisonOperator, try options())
    }

    private func comparison(
        _ left: Item, _ comparisonOperator: FetchComparison.Operator, _ right: Item, _ start: Int,
        _ options: FetchTextOptions, _ quantifier: FetchComparison.Quantifier?
    ) throws -> FetchPredicate {
        guard case .expression(let left) = left, case .expression(let right) = right else {
            throw wrong("a constant or a key path", at: start)
        }
        if comparisonOperator == .between, case .list(let bounds) = right, bounds.count != 2 {
            throw wrong("two bounds, as in {1, 9}", found: "\(bounds.count)", at: start)
        }
        return .comparison(
            FetchComparison(left, comparisonOperator, right, options: options, quantifier: quantifier))
    }

    private mutating func quantifier() throws -> FetchComparison.Quantifier? {
        if try takeKeyword("ANY", "SOME") { return .any }
        if try takeKeyword("ALL") { return .all }
        return try takeKeyword("NONE") ? FetchComparison.Quantifier.none : nil
    }

    private mutating func comparisonOperator() throws -> FetchComparison.Operator? {
        let found: FetchComparison.Operator? =
            switch token {
            case .symbol(let symbol): Self.symbolOperators[symbol]
            case .word(let word): Self.wordOperators[word.uppercased()]
            default: nil
            }
        if found != nil { try advance() }
        return found
    }

    private static let symbolOperators: [String: FetchComparison.Operator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]
    private static let wordOperators: [String: FetchComparison.Operator] = [
        "BETWEEN": .between, "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
        "LIKE": .like, "MATCHES": .matches,
    ]

    /// Reads `[c]`, `[d]`, `[cd]` or `[n]`. `[n]` only confirms the default: bytes are compared.
    private mutating func options() throws -> FetchTextOptions {
        guard try take("[") else { return [] }
        let expected = "[c], [d], [cd] or [n]"
        guard case .word(let letters) = token else { throw wrong(expected) }
        let start = position
        var options: FetchTextOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n" where letters.count == 1: break
            default: throw wrong(expected, found: "[\(letters)]", at: start)
            }
        }
        try advance()
        guard try take("]") else { throw wrong("]") }
        return options
    }
}
