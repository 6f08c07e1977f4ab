/// Reads a predicate format: operators and their precedence. Operands are in `FormatParser+Operands.swift`.
///
/// A parenthesis may hold a predicate or an operand, and only what follows tells which. So each rule gives either, and asks for
/// the one that it needs: no rule ever goes back, and the time is proportional to the length.
struct FormatParser {
    /// What a rule found.
    enum Item {
        case predicate(FetchPredicate)
        case expression(FetchExpression)
    }

    private var scanner: FormatScanner
    private(set) var token = FormatToken.end
    private(set) var position = 0
    private var depth = 0
    private let arguments: [(any PredicateArgument)?]
    private var usedArguments = 0

    init(_ format: String, _ arguments: [(any PredicateArgument)?]) throws(BackstitchError) {
        scanner = FormatScanner(format)
        self.arguments = arguments
        try advance()
    }

    mutating func parse() throws(BackstitchError) -> FetchPredicate {
        let predicate = try require(try disjunction())
        guard token == .end else { throw wrong("AND, OR or the end") }
        guard usedArguments == arguments.count else {
            throw BackstitchError(
                .invalidPredicate,
                "the predicate format uses \(usedArguments) of \(arguments.count) arguments: "
                    + String(String.UnicodeScalarView(scanner.scalars)))
        }
        return predicate
    }

    mutating func advance() throws(BackstitchError) { (token, position) = try scanner.scan() }

    mutating func take(_ symbol: String) throws(BackstitchError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func takeKeyword(_ keywords: String..., or symbol: String? = nil) throws(BackstitchError) -> Bool {
        let isKeyword = token.keyword.map(keywords.contains) ?? false
        guard isKeyword || symbol != nil && token == .symbol(symbol ?? "") else { return false }
        try advance()
        return true
    }

    /// An error at the present token.
    func wrong(_ expected: String) -> BackstitchError { wrong(expected, found: token.summary, at: position) }

    func wrong(_ expected: String, found: String? = nil, at place: Int) -> BackstitchError {
        scanner.wrong(expected, found: found, at: place)
    }

    /// The next argument, and where its place in the format is.
    mutating func nextArgument(for specifier: FormatSpecifier) throws(BackstitchError) -> (any PredicateArgument)? {
        guard usedArguments < arguments.count else {
            throw wrong("an argument for this \(specifier.text); there are only \(arguments.count)", at: position)
        }
        usedArguments += 1
        return arguments[usedArguments - 1]
    }

    mutating func nested<Result>(
        _ levels: Int = 1, _ body: (inout FormatParser) throws(BackstitchError) -> Result
    ) throws(BackstitchError) -> Result {
        guard depth + levels <= FetchPredicate.maximumDepth else {
            throw wrong("at most \(FetchPredicate.maximumDepth) levels of parentheses, NOT and SUBQUERY", at: position)
        }
        depth += levels
        defer { depth -= levels }
        return try body(&self)
    }
}

extension FormatParser {
    func require(_ item: Item) throws(BackstitchError) -> FetchPredicate {
        guard case .predicate(let predicate) = item else {
            throw wrong(
                token.keyword == "NOT" ? "an operator; write NOT before the whole comparison" : Self.operatorHint)
        }
        return predicate
    }

    private static let operatorHint =
        "an operator (== != < <= > >= BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES)"

    mutating func disjunction() throws(BackstitchError) -> Item {
        let first = try conjunction()
        guard token.keyword == "OR" || token == .symbol("||") else { return first }
        var parts = [try require(first)]
        while try takeKeyword("OR", or: "||") { parts.append(try require(try conjunction())) }
        return .predicate(.or(parts))
    }

    private mutating func conjunction() throws(BackstitchError) -> Item {
        let first = try negation()
        guard token.keyword == "AND" || token == .symbol("&&") else { return first }
        var parts = [try require(first)]
        while try takeKeyword("AND", or: "&&") { parts.append(try require(try negation())) }
        return .predicate(.and(parts))
    }

    private mutating func negation() throws(BackstitchError) -> Item {
        var count = 0
        while try takeKeyword("NOT", or: "!") { count += 1 }
        guard count > 0 else { return try comparison() }
        return try nested(count) { parser throws(BackstitchError) in
            var predicate = try parser.require(try parser.comparison())
            for _ in 0..<count { predicate = .not(predicate) }
            return .predicate(predicate)
        }
    }

    private mutating func comparison() throws(BackstitchError) -> Item {
        if try takeKeyword("TRUEPREDICATE") { return .predicate(.constant(true)) }
        if try takeKeyword("FALSEPREDICATE") { return .predicate(.constant(false)) }
        let quantifier = try quantifier()
        let item = try operand()
        guard case .expression(let left) = item else {
            if quantifier != nil { throw wrong("a key path and an operator after ANY, ALL or NONE") }
            return item
        }
        guard let comparisonOperator = try comparisonOperator() else {
            if quantifier != nil { throw wrong(Self.operatorHint) }
            return item
        }
        let options = try options()
        let start = position
        guard case .expression(let right) = try operand() else { throw wrong("a constant or a key path", at: start) }
        if comparisonOperator == .between, case .list(let bounds) = right, bounds.count != 2 {
            throw wrong("two bounds, as in {1, 9}", found: "\(bounds.count)", at: start)
        }
        return .predicate(
            .comparison(FetchComparison(left, comparisonOperator, right, options: options, quantifier: quantifier)))
    }

    private mutating func quantifier() throws(BackstitchError) -> FetchComparison.Quantifier? {
        if try takeKeyword("ANY", "SOME") { return .any }
        if try takeKeyword("ALL") { return .all }
        return try takeKeyword("NONE") ? FetchComparison.Quantifier.none : nil
    }

    private mutating func comparisonOperator() throws(BackstitchError) -> FetchComparison.Operator? {
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

    /// `[c]`, `[d]`, `[cd]`; `[n]` says in so many words that bytes are compared.
    private mutating func options() throws(BackstitchError) -> FetchTextOptions {
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
