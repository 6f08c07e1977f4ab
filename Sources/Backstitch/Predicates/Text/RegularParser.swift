/// Parses the text of a ``RegularPattern``.
struct RegularParser {
    private let text: String
    private let scalars: [Unicode.Scalar]
    private let options: FetchTextOptions
    private var position = 0
    private var depth = 0

    /// The largest number in `{n}`, and the deepest nesting of groups.
    private static let maximumRepetition = 1000
    private static let maximumDepth = 64

    init(_ text: String, _ options: FetchTextOptions) {
        self.text = text
        self.options = options
        scalars = Array(text.unicodeScalars)
    }

    mutating func parse() throws -> RegularTree {
        if next == "^" { position += 1 }
        let tree = try alternatives()
        if position < scalars.count { throw wrong("an unmatched )") }
        return tree
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func alternatives() throws -> RegularTree {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws -> RegularTree {
        var parts: [RegularTree] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            if scalar == "$", position == scalars.count - 1, depth == 0 {
                position += 1
                break
            }
            parts.append(try quantified(try atom(scalar)))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws -> RegularTree {
        switch scalar {
        case "(": return try group()
        case "[":
            position += 1
            return .scalar(try characterClass())
        case "*", "+", "?", "{": throw wrong("nothing to repeat before \(scalar); write \\\(scalar) for the character")
        case "^", "$":
            throw wrong(
                "\(scalar) inside a pattern that always matches whole texts; write \\\(scalar) for the character")
        case ".":
            position += 1
            return .scalar(ScalarSet.lineEnds.inverted)
        case "\\":
            if let set = try escapedSet() { return .scalar(set) }
            return literal(try escapedScalar())
        default:
            position += 1
            return literal(scalar)
        }
    }

    /// A character of the pattern, folded like the text. Some characters fold to several scalars, single marks to none.
    private func literal(_ scalar: Unicode.Scalar) -> RegularTree {
        let parts = TextFolding.fold(String(scalar), options).unicodeScalars
            .map { RegularTree.scalar(ScalarSet([$0.value...$0.value])) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func group() throws -> RegularTree {
        guard depth < Self.maximumDepth else { throw wrong("groups nested deeper than \(Self.maximumDepth)") }
        let start = position
        position += 1
        if take("?"), !take(":") { throw wrong("a group with (?; only (?: is understood") }
        depth += 1
        let tree = try alternatives()
        depth -= 1
        guard take(")") else {
            position = start
            throw wrong("a group without its )")
        }
        return tree
    }

    private mutating func quantified(_ tree: RegularTree) throws -> RegularTree {
        let bounds: (Int, Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{": bounds = try counts()
        default: return tree
        }
        position += 1
        if next == "+" { throw wrong("a possessive quantifier, which is not understood") }
        _ = take("?")
        if next == "*" || next == "{" || next == "?" { throw wrong("a quantifier after a quantifier") }
        return .repeated(tree, least: bounds.0, most: bounds.1)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`, up to the closing brace.
    private mutating func counts() throws -> (Int, Int?) {
        let start = position
        position += 1
        let least = number()
        var most = least
        if take(",") { most = next == "}" ? nil : number() ?? -1 }
        guard let least, next == "}", most ?? least >= least, most ?? least <= Self.maximumRepetition else {
            position = start
            throw wrong("a quantifier other than {n}, {n,} or {n,m} with numbers up to \(Self.maximumRepetition)")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let start = position
        while let scalar = next, ("0"..."9").contains(scalar), position - start < 6 { position += 1 }
        return Int(String(String.UnicodeScalarView(scalars[start..<position])))
    }

    private mutating func characterClass() throws -> ScalarSet {
        let start = position
        let isNegated = take("^")
        var written: [ClosedRange<UInt32>] = []
        var named = ScalarSet([])
        while next != "]" || written.isEmpty && named.ranges.isEmpty {
            if next == "[" { throw wrong("a [ inside a class; write \\[ for the character") }
            if next == "\\", let set = try escapedSet() {
                named = named.union(set)
                continue
            }
            guard let low = try classMember() else {
                position = start - 1
                throw wrong("a class without its ]")
            }
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                written.append(low.value...low.value)
                continue
            }
            position += 1
            guard let high = try classMember(), low <= high else {
                throw wrong("a range whose end comes before its start")
            }
            written.append(low.value...high.value)
        }
        position += 1
        var set = ScalarSet(written)
        if options.contains(.caseInsensitive) { set = set.withLowercase }
        set = set.union(named)
        return isNegated ? set.inverted : set
    }

    private mutating func classMember() throws -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        if scalar == "\\" { return try escapedScalar() }
        position += 1
        return scalar
    }

    private mutating func escapedSet() throws -> ScalarSet? {
        guard position + 1 < scalars.count else { throw wrong("a backslash at the end") }
        let set: ScalarSet? =
            switch scalars[position + 1] {
            case "d": .digits
            case "D": ScalarSet.digits.inverted
            case "w": .word
            case "W": ScalarSet.word.inverted
            case "s": .space
            case "S": ScalarSet.space.inverted
            default: nil
            }
        if set != nil { position += 2 }
        return set
    }

    private mutating func escapedScalar() throws -> Unicode.Scalar {
        position += 1
        guard let scalar = next else { throw wrong("a backslash at the end") }
        position += 1
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{0C}"
        case "v": return "\u{0B}"
        case "u": return try hexadecimal(digits: 4...4)
        case "x":
            guard take("{") else { throw wrong("\\x without {…}") }
            let result = try hexadecimal(digits: 1...6)
            guard take("}") else { throw wrong("\\x{…} without its }") }
            return result
        default:
            guard scalar.isASCII, !ScalarSet.word.contains(scalar.value) || scalar == "_" else {
                position -= 1
                throw wrong("\\\(scalar), which is not understood")
            }
            return scalar
        }
    }

    private mutating func hexadecimal(digits: ClosedRange<Int>) throws -> Unicode.Scalar {
        let start = position
        while let scalar = next, scalar.properties.isASCIIHexDigit, position - start < digits.upperBound {
            position += 1
        }
        let spelled = String(String.UnicodeScalarView(scalars[start..<position]))
        guard digits.contains(spelled.count), let scalar = UInt32(spelled, radix: 16).flatMap(Unicode.Scalar.init)
        else {
            position = start
            throw wrong("no scalar's hexadecimal number")
        }
        return scalar
    }

    private func wrong(_ found: String) -> BackstitchError {
        BackstitchError(
            .invalidPredicate,
            "the pattern of MATCHES has \(found)\n" + CaretText.pointing(at: position, in: scalars))
    }
}
