import Foundation

extension StringProtocol {
    /// Whether both texts have the same bytes.
    @inlinable
    package func isSame(as other: some StringProtocol) -> Bool {
        if let same = utf8.withContiguousStorageIfAvailable({ left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count && order(of: left, right) == 0
            }
        }), let same {
            return same
        }
        return utf8.elementsEqual(other.utf8)
    }

    /// Whether the bytes of this text sort before the bytes of another text.
    @inlinable
    package func isBefore(_ other: some StringProtocol) -> Bool {
        if let before = utf8.withContiguousStorageIfAvailable({ left in
            other.utf8.withContiguousStorageIfAvailable { right in
                let order = order(of: left, right)
                return order == 0 ? left.count < right.count : order < 0
            }
        }), let before {
            return before
        }
        return utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Whether the bytes of this text begin with the bytes of another text.
    @inlinable
    package func begins(with other: some StringProtocol) -> Bool { utf8.starts(with: other.utf8) }

    /// Whether the text begins with an ASCII text, in capitals or small letters.
    ///
    /// - Parameter lowercase: The beginning, in ASCII without capitals.
    package func begins(withASCII lowercase: String) -> Bool {
        utf8.lazy.map(\.asciiLowercase).starts(with: lowercase.utf8)
    }

    /// Returns the rest of the text after a beginning that it has.
    package func dropping(_ beginning: String) -> Self.SubSequence {
        self[utf8.index(startIndex, offsetBy: beginning.utf8.count)...]
    }

    /// Splits the text at each byte equal to an ASCII character.
    package func split(
        atByte separator: UInt8, maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        let text = Substring(self)
        return text.utf8.split(
            separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
        ).map { Substring($0) }
    }

    /// The text without spaces and tabs at its ends.
    package var trimmingSpaces: String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var bytes = Array(utf8)[...].drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with small letters instead of ASCII capitals; other scalars stay.
    package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercase), as: UTF8.self) }

    /// Whether the text has only ASCII characters.
    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// Returns the beginning of the text for a message: at most `most` bytes, cut between scalars.
    package func shown(_ most: Int = 60) -> String {
        guard utf8.count > most else { return String(self) }
        var kept = Array(utf8.prefix(most))
        while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
        if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        return String(decoding: kept, as: UTF8.self) + "…"
    }

    /// Feeds a hasher with the bytes, and then with a byte that never occurs in UTF-8.
    @inlinable
    package func hashBytes(into hasher: inout Hasher) {
        var text = String(self)
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8(0xFF))
    }
}

/// Compares the common length of two texts: negative, zero or positive, as `memcmp` returns it. Zero means that one
/// text is the beginning of the other.
@usableFromInline
package func order(of left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard let start = left.baseAddress, let other = right.baseAddress else { return 0 }
    return memcmp(start, other, min(left.count, right.count))
}

extension UInt8 {
    @inlinable package var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension RawRepresentable<String> {
    /// Makes the case with this raw value; nil if there is none.
    ///
    /// A text of more than 64 bytes, or with other characters than ASCII, is refused before any comparison.
    package init?(word text: some StringProtocol) {
        guard text.utf8.count <= 64, text.isASCII else { return nil }
        self.init(rawValue: String(text))
    }
}
