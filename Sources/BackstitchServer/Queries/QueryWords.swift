import Foundation

/// The words of texts, as queries look for them.
enum QueryWords {
    /// The different words of a text, without case and marks: what letters and digits stand together.
    ///
    /// - Parameter limit: How many are enough.
    static func of(_ text: String, upTo limit: Int = Int.max) -> Set<String> {
        var words: Set<String> = []
        var word = ""
        func end() {
            if !word.isEmpty { words.insert(word) }
            word = ""
        }
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: continue
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
                .decimalNumber, .letterNumber, .otherNumber:
                word.unicodeScalars.append(scalar)
            default:
                end()
                if words.count >= limit { return words }
            }
        }
        end()
        return words
    }
}
