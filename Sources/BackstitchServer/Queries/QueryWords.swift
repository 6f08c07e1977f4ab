import BackstitchSupport
import Foundation

/// The words of a text, as queries compare them: runs of letters and digits, without case and marks.
///
/// A text is read scalar by scalar, so the work is linear for every text. A word is known by its first ``longest``
/// bytes, because an index keeps no more of it.
struct QueryWords: Sequence, IteratorProtocol {
    /// The maximum bytes of a word.
    static let longest = QueryKey.indexedBytes

    private var scalars: String.UnicodeScalarView.Iterator
    /// The scalars of the last folded one, in reverse order.
    private var pending: [Unicode.Scalar] = []
    private var folded: [Unicode.Scalar: [Unicode.Scalar]] = [:]

    init(_ text: String) { scalars = text.unicodeScalars.makeIterator() }

    /// The different words of a text.
    ///
    /// - Parameter limit: The number of words after which the search ends.
    static func of(_ text: String, upTo limit: Int = Int.max) -> Set<ByteText> {
        var words: Set<ByteText> = []
        for word in QueryWords(text) {
            words.insert(word)
            if words.count >= limit { break }
        }
        return words
    }

    /// The next word of the text; nil at its end.
    mutating func next() -> ByteText? {
        var word: [UInt8] = []
        var isFull = false
        while let scalar = nextFolded() {
            switch Self.part(scalar) {
            case .nothing: continue
            case .end: if !word.isEmpty { return ByteText(String(decoding: word, as: UTF8.self)) }
            case .word:
                guard !isFull, let bytes = UTF8.encode(scalar) else { continue }
                isFull = word.count + bytes.count > Self.longest
                if !isFull { word.append(contentsOf: bytes) }
            }
        }
        return word.isEmpty ? nil : ByteText(String(decoding: word, as: UTF8.self))
    }

    /// The next scalar without case and without compatibility forms. One scalar may become eighteen.
    private mutating func nextFolded() -> Unicode.Scalar? {
        if let scalar = pending.popLast() { return scalar }
        guard let scalar = scalars.next() else { return nil }
        if scalar.isASCII { return Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value).asciiLowercase) }
        if let known = folded[scalar] {
            pending = known
        } else {
            pending = Array(
                String(scalar).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars.reversed())
            folded[scalar] = pending
        }
        return pending.popLast()
    }

    /// The role of a scalar: part of a word, the end of a word, or nothing.
    private enum Part { case word, end, nothing }

    /// The role of a folded scalar, by its general category.
    private static func part(_ scalar: Unicode.Scalar) -> Part {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) ? .word : .end
        }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: .nothing
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .decimalNumber, .letterNumber, .otherNumber:
            .word
        default: .end
        }
    }
}
