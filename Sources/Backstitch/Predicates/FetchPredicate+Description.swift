import Foundation

extension FetchPredicate: CustomStringConvertible {
    /// The predicate in the format language. Dates, bytes, UUIDs, URIs and objects are in angle brackets, since the
    /// language has no literals for them.
    public var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : parts.map(\.inParentheses).joined(separator: " AND ")
        case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : parts.map(\.inParentheses).joined(separator: " OR ")
        case .not(let part): "NOT \(part.inParentheses)"
        case .comparison(let comparison): comparison.description
        }
    }

    private var inParentheses: String {
        switch self {
        case .and(let parts) where !parts.isEmpty: "(\(self))"
        case .or(let parts) where !parts.isEmpty: "(\(self))"
        default: description
        }
    }
}

extension FetchComparison: CustomStringConvertible {
    /// The comparison in the format language.
    public var description: String {
        let quantifier = quantifier.map { "\($0.rawValue.uppercased()) " } ?? ""
        let options = options.isEmpty ? "" : "[\(options)]"
        return "\(quantifier)\(left) \(comparisonOperator.symbol)\(options) \(right)"
    }
}

extension FetchComparison.Operator {
    /// The operator in the format language.
    var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: rawValue.uppercased()
        }
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression in the format language; a long list shows its first 20 elements.
    public var description: String {
        switch self {
        case .value(let value): return value.formatText
        case .list(let elements):
            let shown = elements.prefix(20).map(\.description) + (elements.count > 20 ? ["… (\(elements.count))"] : [])
            return "{\(shown.joined(separator: ", "))}"
        case .keyPath(let path): return path.formatText
        case .variable(let name): return "$\(name)"
        case .count(let path): return "\(path.formatText).@count"
        case .subqueryCount(let subquery):
            return "SUBQUERY(\(subquery.collection.formatText), $\(subquery.variable), \(subquery.predicate)).@count"
        }
    }
}

extension FetchKeyPath {
    /// The path, with `#` before the first name if it is a keyword.
    fileprivate var formatText: String {
        guard root == .subject, let first = names.first, FormatToken.keywords.contains(first.uppercased()) else {
            return description
        }
        return "#\(description)"
    }
}

extension Value {
    /// The value as a literal of the format language, or in angle brackets.
    fileprivate var formatText: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .int(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : "<\(value)>"
        case .decimal(let value): value.canonicalText
        case .string(let value): Self.quoted(value)
        case .date(let value): "<\(value.text)>"
        case .data(let value): "<\(value.count) bytes>"
        case .uuid(let value): "<\(value)>"
        case .uri(let value): "<\(value.absoluteString)>"
        case .asset(let value): "<asset \(value.checksum)>"
        case .file(let value): "<asset \(value.reference.checksum)>"
        case .object(let value): "<\(value)>"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": result += "\\\(scalar)"
            case "%": result += "%%"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
