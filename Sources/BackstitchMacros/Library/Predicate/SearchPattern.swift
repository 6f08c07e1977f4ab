/// Turns a regular expression to be found anywhere in a text into one for the whole text, as MATCHES needs it. The new
/// one allows any text before and after the match, except at an anchor.
struct SearchPattern {
    /// The pattern for the whole text, without anchors at the ends of alternatives. Other anchors stay; they are
    /// refused later, with their place.
    let text: String

    private static let anything = #"[\s\S]*"#

    init(_ pattern: String) {
        let alternatives = Self.alternatives(of: pattern)
        guard alternatives.contains(where: { Self.anchors(of: $0) != (false, false) || Self.inner(of: $0) != nil })
        else {
            text = "\(Self.anything)(?:\(pattern))\(Self.anything)"
            return
        }
        text = "(?:\(alternatives.map(Self.whole).joined(separator: "|")))"
    }

    private static func whole(_ alternative: Substring) -> String {
        if let inner = inner(of: alternative) { return SearchPattern(String(inner)).text }
        let (isFirst, isLast) = anchors(of: alternative)
        let body = alternative.dropFirst(isFirst ? 1 : 0).dropLast(isLast ? 1 : 0)
        return "\(isFirst ? "" : anything)(?:\(body))\(isLast ? "" : anything)"
    }

    private static func anchors(of alternative: Substring) -> (Bool, Bool) {
        let escapes = alternative.dropLast().reversed().prefix { $0 == #"\"# }.count
        return (alternative.first == "^", alternative.last == "$" && escapes.isMultiple(of: 2))
    }

    /// The content of a group, if the group is the whole alternative; otherwise nil.
    private static func inner(of alternative: Substring) -> Substring? {
        guard alternative.first == "(", alternative.last == ")" else { return nil }
        let body = alternative.dropFirst(alternative.hasPrefix("(?:") ? 3 : 1)
        guard body.first != "?",
            Self.end(ofGroupAt: alternative.startIndex, in: alternative) == alternative.indices.last
        else { return nil }
        return body.dropLast()
    }

    private static func end(ofGroupAt start: Substring.Index, in text: Substring) -> Substring.Index? {
        var end: Substring.Index?
        walk(text[start...]) { index, depth in
            if end == nil, text[index] == ")", depth == 0 { end = index }
        }
        return end
    }

    /// Splits the pattern at the bars outside of groups.
    private static func alternatives(of pattern: String) -> [Substring] {
        var parts: [Substring] = []
        var start = pattern.startIndex
        walk(pattern[...]) { index, depth in
            guard pattern[index] == "|", depth == 0 else { return }
            parts.append(pattern[start..<index])
            start = pattern.index(after: index)
        }
        return parts + [pattern[start...]]
    }

    /// Calls `body` for each character outside of escapes and classes, with the number of groups open behind it.
    private static func walk(_ text: Substring, _ body: (Substring.Index, Int) -> Void) {
        var depth = 0, isEscaped = false
        var classStart: Substring.Index?
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if character == #"\"# {
                isEscaped = true
            } else if let start = classStart {
                // A bracket in first place is a member of the class.
                let members = text[text.index(after: start)..<index]
                if character == "]", !members.isEmpty, members != "^" { classStart = nil }
            } else if character == "[" {
                classStart = index
            } else {
                if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
                body(index, depth)
            }
        }
    }
}
