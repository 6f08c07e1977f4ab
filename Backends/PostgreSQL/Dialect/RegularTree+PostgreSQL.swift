import Backstitch

extension RegularTree {
    /// The expression in PostgreSQL's advanced regular expressions, anchored at both ends. Characters are numbers in
    /// classes, so that none of them is special. Repetitions are in steps, because PostgreSQL counts only up to 255.
    var postgreSQLText: String { "^(?:" + text + ")$" }

    private var text: String {
        switch self {
        case .scalar(let set): Self.text(of: set)
        case .sequence(let parts): parts.map(\.group).joined()
        case .alternatives(let parts): parts.map(\.text).joined(separator: "|")
        case .repeated(let part, let least, let most): Self.text(of: part, least, most)
        }
    }

    private var group: String {
        if case .alternatives = self { return "(?:" + text + ")" }
        return text
    }

    private var isEmpty: Bool {
        switch self {
        case .scalar: false
        case .sequence(let parts): parts.allSatisfy(\.isEmpty)
        case .alternatives(let parts): parts.allSatisfy(\.isEmpty)
        case .repeated(let part, _, let most): most == 0 || part.isEmpty
        }
    }

    private static let longest = 250

    /// A repetition of a part, at least `least` times and at most `most` times; nil for no limit.
    private static func text(of part: RegularTree, _ least: Int, _ most: Int?) -> String {
        if part.isEmpty || most == 0 { return "" }
        let atom = "(?:" + part.text + ")"
        var text = steps(atom, least) { "{\($0)}" }
        if let most { text += steps(atom, most - least) { "{0,\($0)}" } } else { text += atom + "*" }
        return text
    }

    /// Repeats an atom `count` times, in steps of at most ``longest``.
    private static func steps(_ atom: String, _ count: Int, _ bound: (Int) -> String) -> String {
        var text = "", rest = count
        while rest > 0 {
            text += atom + bound(min(rest, longest))
            rest -= longest
        }
        return text
    }

    /// A class of characters, with each character as a number.
    private static func text(of set: ScalarSet) -> String {
        // No text contains U+0000.
        let ranges = set.ranges.compactMap { range -> String? in
            let low = max(1, range.lowerBound)
            guard low <= range.upperBound else { return nil }
            return low == range.upperBound ? escape(low) : escape(low) + "-" + escape(range.upperBound)
        }
        // The empty set: the complement of all scalars.
        return ranges.isEmpty ? "[^\\u0001-\\U0010FFFF]" : "[" + ranges.joined() + "]"
    }

    private static func escape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
