/// A word, sign or literal of a predicate format.
enum FormatToken: Hashable {
    /// An identifier or a keyword.
    case word(String)
    /// `#name`: an identifier, even if it is a keyword.
    case reserved(String)
    /// `$name`: a variable, without its sign.
    case variable(String)
    /// A quoted text, without quotes and escapes.
    case string(String)
    /// An unsigned number, as it is written.
    case number(String)
    /// `%@`, `%K`, `%d` and the other placeholders.
    case specifier(FormatSpecifier)
    /// An operator or punctuation sign.
    case symbol(String)
    /// The end of the format.
    case end

    /// The word in upper case, to compare with keywords; nil for other tokens.
    var keyword: String? {
        if case .word(let word) = self { word.uppercased() } else { nil }
    }

    /// The token in words, for messages.
    var summary: String {
        switch self {
        case .word(let word): Self.keywords.contains(word.uppercased()) ? "the keyword \(word)" : "\"\(word)\""
        case .reserved(let word): "#\(word)"
        case .variable(let name): "$\(name)"
        case .string(let text): "the text \"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
        case .number(let text): "the number \(text)"
        case .specifier(let specifier): specifier.text
        case .symbol(let symbol): symbol
        case .end: "the end"
        }
    }

    /// Words that are property names only after `#` or a dot.
    static let keywords: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "SELF", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY",
    ]
}
