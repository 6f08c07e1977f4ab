import BackstitchSupport
import Foundation

/// The words of texts, as queries look for them: letters and digits that stand together, without case and marks.
///
/// A text is taken scalar by scalar, so that the work is linear whatever it holds, and a word is known by its first
/// ``longest`` bytes, as many as an index keeps of it.
struct QueryWords: Sequence, IteratorProtocol {
    /// Bytes by which a word is known.
    static let longest = QueryKey.indexedBytes

    private var scalars: String.UnicodeScalarView.Iterator
    /// Scalars that the last one from the text stands for, the next one last.
    private var pending: [Unicode.Scalar] = []
    private var folded: [Unicode.Scalar: [Unicode.Scalar]] = [:]

    init(_ text: String) { scalars = text.unicodeScalars.makeIterator() }

    /// The different words of a text.
    ///
    /// - Parameter limit: How many are enough.
    static func of(_ text: String, upTo limit: Int = Int.max) -> Set<ByteText> {
        var words: Set<ByteText> = []
        for word in QueryWords(text) {
            words.insert(word)
            if words.count >= limit { break }
        }
        return words
    }

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

    /// The next scalar of the text without case and without compatibility forms: one may stand for eighteen.
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

    private enum Part { case word, end, nothing }

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
