/// Cuts a predicate format into tokens.
struct FormatScanner {
    /// The scalars of the format.
    let scalars: [Unicode.Scalar]
    private var position = 0
    /// The end of the last scanned token.
    var end: Int { position }

    init(_ format: String) { scalars = Array(format.unicodeScalars) }

    private var next: Unicode.Scalar? { peek(0) }

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    /// Scans the next token, and returns it with its position.
    mutating func scan() throws -> (token: FormatToken, position: Int) {
        while let scalar = next, scalar.properties.isWhitespace { position += 1 }
        let start = position
        guard let scalar = next else { return (.end, start) }
        switch scalar {
        case "\"", "'": return (.string(try quoted(scalar)), start)
        case "%": return (.specifier(try specifier()), start)
        case "$", "#":
            position += 1
            guard let name = word() else { throw wrong("a name after \(scalar)", at: start) }
            return (scalar == "$" ? .variable(name) : .reserved(name), start)
        default: break
        }
        if isDigit(scalar) || scalar == "." && peek(1).map(isDigit) == true { return (.number(try number()), start) }
        if let word = word() { return (.word(word), start) }
        return (.symbol(try symbol()), start)
    }

    /// Makes an error for a place of the format.
    func wrong(_ expected: String, found: String? = nil, at place: Int) -> BackstitchError {
        let found = found.map { ", found \($0)" } ?? ""
        return BackstitchError(
            .invalidPredicate,
            "the predicate format is wrong: expected \(expected)\(found)\n"
                + CaretText.pointing(at: place, in: scalars))
    }

    private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private mutating func word() -> String? {
        let start = position
        while let scalar = next, ScalarSet.word.contains(scalar.value), position > start || !isDigit(scalar) {
            position += 1
        }
        return position > start ? text(start..<position) : nil
    }

    private func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    /// Reads digits, a fraction and an exponent; or `0x` and hexadecimal digits.
    private mutating func number() throws -> String {
        let start = position
        if next == "0", peek(1) == "x" || peek(1) == "X" {
            position += 2
            while let scalar = next, scalar.properties.isASCIIHexDigit { position += 1 }
            if position == start + 2 { throw wrong("hexadecimal digits after 0x", at: position) }
        } else {
            digits()
            if next == ".", peek(1).map(isDigit) == true {
                position += 1
                digits()
            }
            if next == "e" || next == "E" {
                position += peek(1) == "-" || peek(1) == "+" ? 2 : 1
                guard next.map(isDigit) == true else { throw wrong("digits of an exponent", at: position) }
                digits()
            }
        }
        if let scalar = next, ScalarSet.word.contains(scalar.value) {
            throw wrong("a space or an operator after the number", at: position)
        }
        return text(start..<position)
    }

    private mutating func digits() {
        while let scalar = next, isDigit(scalar) { position += 1 }
    }

    private mutating func symbol() throws -> String {
        let start = position
        for length in [2, 1] where position + length <= scalars.count {
            let candidate = text(position..<position + length)
            if Self.symbols.contains(candidate) {
                position += length
                return candidate
            }
        }
        let expected =
            ["&", "|"].contains(scalars[start])
            ? "\(scalars[start])\(scalars[start]), or the word \(scalars[start] == "&" ? "AND" : "OR")"
            : "a key path, an operator or a constant"
        throw wrong(expected, found: "\"\(scalars[start])\"", at: start)
    }

    private static let symbols: Set<String> = [
        "==", "=", "!=", "<>", "<=", "=<", ">=", "=>", "<", ">", "&&", "||", "!", "(", ")", "{", "}", "[", "]", ",",
        ".", "-",
        "+", "*", "/", "@", ":",
    ]
}

extension FormatScanner {
    private mutating func quoted(_ quote: Unicode.Scalar) throws -> String {
        let start = position
        var text = String.UnicodeScalarView()
        position += 1
        while let scalar = next {
            position += 1
            if scalar == quote { return String(text) }
            if scalar == "\\" {
                text.append(try escaped())
            } else {
                if scalar == "%", next == "%" { position += 1 }
                text.append(scalar)
            }
        }
        throw wrong("the closing \(quote) of this text", at: start)
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        guard let scalar = next else { throw wrong("a character after the backslash", at: position) }
        position += 1
        switch scalar {
        case "\\", "\"", "'": return scalar
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "x": return try hexadecimal(digits: 2)
        case "u": return try hexadecimal(digits: 4)
        case "U": return try hexadecimal(digits: 8)
        default:
            throw wrong(
                "\\\\ \\\" \\' \\n \\t \\r \\xHH \\uHHHH or \\UHHHHHHHH; "
                    + "write \\\\\(scalar) for a backslash and \(scalar)",
                found: "\\\(scalar)", at: position - 2)
        }
    }

    private mutating func hexadecimal(digits: Int) throws -> Unicode.Scalar {
        let start = position
        while let scalar = next, scalar.properties.isASCIIHexDigit, position - start < digits { position += 1 }
        guard position - start == digits,
            let scalar = UInt32(text(start..<position), radix: 16).flatMap(Unicode.Scalar.init)
        else { throw wrong("\(digits) hexadecimal digits of a character", at: start) }
        return scalar
    }

    private mutating func specifier() throws -> FormatSpecifier {
        let start = position
        position += 1
        while let scalar = next, "hlqzt".unicodeScalars.contains(scalar) { position += 1 }
        let length = position - start - 1
        guard let letter = next else { throw wrong("%@, %K, %d or another specifier", at: start) }
        position += 1
        let text = text(start..<position)
        switch letter {
        case "@" where length == 0: return FormatSpecifier(text: text, kind: .any)
        case "K" where length == 0: return FormatSpecifier(text: text, kind: .keyPath)
        case "d", "i", "u", "D", "U", "x", "X", "o": return FormatSpecifier(text: text, kind: .integer)
        case "f", "F", "g", "G", "e", "E": return FormatSpecifier(text: text, kind: .floating)
        case "%": throw wrong("%% only inside quotes", at: start)
        default:
            throw wrong("%@ %K %d %i %u %ld %lld %lu %f, or a percent sign inside quotes", found: text, at: start)
        }
    }
}
