/// Hints for programmers who write SQL, or put an argument in quotes: each hint shows the right form.
extension FormatParser {
    /// The expected words at a place with a missing operator.
    var wordsForOperator: String {
        switch token.keyword {
        case "NOT": "an operator; write NOT before the whole comparison, as in NOT size IN {1, 2}"
        case "IS": "an operator; IS NULL is == NULL here, and IS NOT NULL is != NULL"
        case "ILIKE": "an operator; ILIKE is LIKE[c] here"
        case "REGEXP", "RLIKE", "SIMILAR": "an operator; a regular expression is tested by MATCHES"
        case "GLOB": "an operator; a pattern with * and ? is tested by LIKE"
        case "STARTSWITH", "STARTS": "an operator; the beginning of a text is tested by BEGINSWITH"
        default: "an operator (== != < <= > >= BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES)"
        }
    }

    /// The expected words after a complete predicate.
    var wordsForEnd: String {
        switch token.keyword {
        case "ORDER": "AND, OR or the end; the order is the request's sortedBy"
        case "LIMIT", "OFFSET": "AND, OR or the end; limit and offset are the request's"
        default: "AND, OR or the end"
        }
    }

    /// Reads the right side of an operator. Refuses forms of SQL that this language would read with another meaning.
    mutating func rightOperand(of comparisonOperator: FetchComparison.Operator) throws -> Item {
        let start = position
        switch (comparisonOperator, token) {
        case (.like, .string(let text)): try refusePercentPattern(text)
        case (.between, .number), (.between, .string): throw wrong("two bounds in braces, as in {1, 9}")
        default: break
        }
        let isParenthesised = token == .symbol("(")
        let item = try operand()
        if comparisonOperator == .in, isParenthesised, case .expression(.value(let value)) = item, !value.isNull {
            throw wrong("a list in braces, as in {1, 2}, in place of ( )", at: start)
        }
        return item
    }

    /// Refuses a quoted text that is only `%@`: it would be compared with these characters, and not with an argument.
    func refuseQuotedArgument() throws {
        let raw = rawText
        var inner = raw
        while let last = inner.last, Self.wildcards.contains(last) { inner.removeLast() }
        while let first = inner.first, Self.wildcards.contains(first) { inner.removeFirst() }
        // The percent sign was removed with the wildcards.
        guard ["@", "K"].contains(inner), raw.contains("%\(inner)"), !raw.contains("%%\(inner)") else { return }
        throw wrong(
            "%\(inner) without quotes: in quotes it is text, and takes no argument (write LIKE %@ with the argument \"*word*\" for a "
                + "pattern, and %%\(inner) for these two characters)")
    }

    /// Refuses a pattern of SQL: here `*` matches any text, and a percent sign is only itself.
    private func refusePercentPattern(_ text: String) throws {
        let raw = rawText.replacing("%%", with: "")
        guard raw.hasPrefix("%") || raw.hasSuffix("%"), !raw.contains("%@"), !raw.contains("%K") else { return }
        throw wrong(
            "a pattern with * for any text and ? for one character (write %% for a percent sign)",
            found: token.summary, at: position)
    }

    private static let wildcards: Set<Character> = ["*", "?", "%"]

    /// The current text token as it is written, without its quotes.
    private var rawText: Substring {
        let text = String(String.UnicodeScalarView(scanner.scalars[position..<scanner.end]))
        return text.dropFirst().dropLast()
    }
}
