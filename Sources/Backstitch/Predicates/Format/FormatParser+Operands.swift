import Foundation

extension FormatParser {
    /// Reads a constant, an argument, a list, a path, a count, or an item in parentheses.
    mutating func operand() throws -> Item {
        if isAt("", or: "(") { return try parenthesised() }
        if isAt("", or: "{") { return .expression(try list()) }
        if isAt("SUBQUERY") { return .expression(try subquery()) }
        return .expression(try simpleOperand())
    }

    private mutating func parenthesised() throws -> Item {
        let start = position
        try enter()
        try advance()
        let item = try disjunction()
        try close(from: start)
        return item
    }

    private mutating func close(from start: Int) throws {
        guard try take(")") else {
            if token == .symbol(",") { throw wrong("a list in braces, as in {1, 2}, in place of ( )", at: start) }
            throw wrong("the ) of this (", found: token.summary, at: token == .end ? start : position)
        }
        leave()
    }

    private mutating func simpleOperand() throws -> FetchExpression {
        switch token {
        case .symbol("-"), .symbol("+"), .number: return .value(try number())
        case .string(let text):
            try refuseQuotedArgument()
            try advance()
            return .value(.string(text))
        case .specifier(let specifier) where specifier.kind != .keyPath: return try argument(specifier)
        case .word(let word):
            if let constant = try constant(word.uppercased()) { return .value(constant) }
            return try path()
        case .reserved, .variable, .specifier: return try path()
        case .symbol("@"): throw wrong("a key path before @, as in tags.@count")
        case .symbol, .end: throw wrong("a key path or a constant")
        }
    }

    private mutating func constant(_ keyword: String) throws -> Value? {
        let value: Value
        switch keyword {
        case "TRUE", "YES": value = .bool(true)
        case "FALSE", "NO": value = .bool(false)
        case "NULL", "NIL": value = .null
        case "SELF": return nil
        default:
            guard !FormatToken.keywords.contains(keyword) else {
                throw wrong("a key path or a constant (write #\(keyword.lowercased()) for a property of that name)")
            }
            return nil
        }
        try advance()
        return value
    }

    private mutating func list() throws -> FetchExpression {
        try enter()
        try advance()
        var elements: [FetchExpression] = []
        let isEmpty = try isClosed()
        if !isEmpty {
            repeat {
                let start = position
                let item = try operand()
                guard case .expression(let element) = item else { throw wrong("a constant", at: start) }
                elements.append(element)
            } while try !isListEnd()
        }
        leave()
        return .list(elements)
    }

    private mutating func isClosed() throws -> Bool { try take("}") }

    private mutating func isListEnd() throws -> Bool {
        if try isClosed() { return true }
        guard try take(",") else { throw wrong(", or }") }
        return false
    }

    private mutating func argument(_ specifier: FormatSpecifier) throws -> FetchExpression {
        let argument = try nextArgument(for: specifier)
        let expression = argument?.predicateExpression ?? .value(.null)
        switch specifier.kind {
        case .integer where !(argument is any BinaryInteger) && !expression.isInteger:
            throw wrong("an integer for this \(specifier.text)", found: Self.summary(of: argument), at: position)
        case .floating where !expression.isFloating:
            throw wrong(
                "a Double, Float or Decimal for this \(specifier.text)", found: Self.summary(of: argument), at: position
            )
        default: break
        }
        try advance()
        return expression
    }

    private static func summary(of argument: (any PredicateArgument)?) -> String {
        guard let argument else { return "nil" }
        // Foundation's description is not used: it ends the program for a date that is NaN.
        let text = (argument as? String) ?? argument.predicateExpression.description
        return "the \(type(of: argument)) \(String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))))"
    }

    private mutating func number() throws -> Value {
        let start = position
        let isNegative = try take("-")
        if token == .symbol("+") { throw wrong("a number without a plus sign") }
        guard case .number(let text) = token else {
            throw wrong("a number after the minus sign; there is no arithmetic")
        }
        guard let value = Value(numberText: (isNegative ? "-" : "") + text) else {
            throw wrong("a number that a double or a decimal can hold", at: start)
        }
        try advance()
        return value
    }
}

extension FormatParser {
    /// Reads a key path, a count, or a variable.
    private mutating func path() throws -> FetchExpression {
        let start = position
        var root = FetchKeyPath.Root.subject
        var names: [String] = []
        switch token {
        case .variable(let name):
            root = .variable(name)
            try advance()
        case .word(let word) where word.uppercased() == "SELF": try advance()
        default: names += try component()
        }
        while try take(".") {
            if try take("@") {
                guard case .word("count") = token else {
                    throw wrong("count after @, the only collection operator")
                }
                try advance()
                names.append(Self.count)
            } else {
                names += try component()
            }
        }
        try refuseWhatFollows()
        guard !names.dropLast().contains(Self.count) else { throw wrong("nothing after @count", at: start) }
        if names.last == Self.count { return .count(FetchKeyPath(root: root, names: names.dropLast())) }
        if case .variable(let name) = root, names.isEmpty { return .variable(name) }
        return .keyPath(FetchKeyPath(root: root, names: names))
    }

    /// Reads one name; for `%K`, all names of its argument.
    private mutating func component() throws -> [String] {
        let names: [String]
        switch token {
        case .word(let word): names = [word]
        case .reserved(let word): names = [word]
        case .specifier(let specifier) where specifier.kind == .keyPath:
            let argument = try nextArgument(for: specifier)
            guard case .value(.string(let text)) = argument?.predicateExpression ?? .value(.null) else {
                throw wrong("a String for this %K", found: Self.summary(of: argument), at: position)
            }
            names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard isPath(names) else {
                throw wrong("names between dots for this %K", found: "\"\(text)\"", at: position)
            }
        default: throw wrong("a property's name")
        }
        try advance()
        return names
    }

    private static let count = "@count"

    private func isPath(_ names: [String]) -> Bool {
        names.enumerated().allSatisfy { index, name in
            !name.isEmpty && name.unicodeScalars.allSatisfy { ScalarSet.word.contains($0.value) }
                || name == Self.count && index == names.count - 1 && index > 0
        }
    }

    private func refuseWhatFollows() throws {
        switch token {
        case .symbol("["): throw wrong("no index after a key path; the size of a to-many is .@count", at: position)
        case .symbol("("), .symbol(":"): throw wrong("a key path; functions are not understood", at: position)
        case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"): throw wrong("no arithmetic", at: position)
        default: break
        }
    }

    /// Reads `SUBQUERY(tags, $tag, predicate).@count`.
    private mutating func subquery() throws -> FetchExpression {
        try enter()
        let (collection, variable) = try subqueryHead()
        let predicate = try predicate()
        try subqueryTail()
        leave()
        return .subqueryCount(FetchSubquery(collection, variable: variable, where: predicate))
    }

    private mutating func subqueryHead() throws -> (FetchKeyPath, String) {
        try advance()
        guard try take("(") else { throw wrong("( after SUBQUERY") }
        let start = position
        guard case .keyPath(let collection) = try path() else { throw wrong("a to-many key path", at: start) }
        guard try take(",") else { throw wrong("a comma") }
        guard case .variable(let variable) = token else { throw wrong("a variable such as $x") }
        try advance()
        guard try take(",") else { throw wrong("a comma") }
        return (collection, variable)
    }

    private mutating func subqueryTail() throws {
        guard try take(")") else { throw wrong(")") }
        guard try take("."), try take("@"), token == .word("count") else { throw wrong(".@count after SUBQUERY(…)") }
        try advance()
    }
}

extension FetchExpression {
    fileprivate var isInteger: Bool {
        if case .value(.int) = self { true } else { false }
    }

    fileprivate var isFloating: Bool {
        switch self {
        case .value(.double), .value(.decimal): true
        default: false
        }
    }
}

extension Value {
    /// Reads a number from text: an integer if it fits 64 bits, else a double if it is exactly as written. Otherwise it
    /// is a decimal if that is exact, else the nearest double. Nil if none of them can hold it.
    init?(numberText text: String) {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            guard let number = UInt64(digits.dropFirst(2), radix: 16), number <= UInt64(Int64.max) else { return nil }
            self = .int(text.hasPrefix("-") ? -Int64(number) : Int64(number))
            return
        }
        if let number = Int64(text) {
            self = .int(number)
            return
        }
        let double = Double(text)
        if let double, digits.contains(where: { ".eE".contains($0) }), DecimalText.compare("\(double)", text) == 0 {
            self = .double(double)
        } else if let decimal = Decimal(string: text, locale: nil), DecimalText.compare(decimal.description, text) == 0
        {
            self = .decimal(decimal)
        } else if let double, double.isFinite {
            self = .double(double)
        } else {
            return nil
        }
    }
}
