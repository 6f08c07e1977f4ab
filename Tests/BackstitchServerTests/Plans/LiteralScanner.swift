/// Finds the string literals of a Swift source, with the texts between their interpolations.
struct LiteralScanner {
    struct Literal {
        var line: Int
        var pieces: [String]
    }

    private let characters: [Character]
    private var place = 0
    private var line = 1
    private var found: [Literal] = []

    init(_ source: String) { characters = Array(source) }

    /// The literals, those too that are in interpolations of others.
    mutating func scan() -> [Literal] {
        code(untilParenthesis: false)
        return found
    }

    private func isNext(_ text: String) -> Bool {
        characters[place...].starts(with: text)
    }

    private mutating func step() -> Character {
        let character = characters[place]
        if character.isNewline { line += 1 }
        place += 1
        return character
    }

    private mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while place < characters.count {
            if isNext("//") {
                while place < characters.count, !characters[place].isNewline { place += 1 }
            } else if characters[place] == "\"" {
                literal()
            } else {
                switch step() {
                case "(": depth += 1
                case ")" where untilParenthesis && depth == 0: return
                case ")": depth -= 1
                default: break
                }
            }
        }
    }

    private mutating func literal() {
        let mark = isNext("\"\"\"") ? "\"\"\"" : "\""
        var literal = Literal(line: line, pieces: [""])
        place += mark.count
        while place < characters.count, !isNext(mark) {
            if isNext("\\(") {
                place += 2
                code(untilParenthesis: true)
                literal.pieces.append("")
            } else if isNext("\\\"") {
                place += 2
                literal.pieces[literal.pieces.count - 1].append("\"")
            } else if isNext("\\") {
                place += 1
                // The end of a continued line, or an escaped character: neither is a part of any name.
                _ = step()
            } else {
                literal.pieces[literal.pieces.count - 1].append(step())
            }
        }
        place += mark.count
        found.append(literal)
    }
}
