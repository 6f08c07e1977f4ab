import BackstitchSupport

extension JSONReader {
    /// A string in the message: the position of the bytes between its quotes.
    struct StringToken {
        let start: Int
        let end: Int
        let hasEscapes: Bool
    }

    mutating func readString() throws(WireCodingError) -> String {
        skipWhitespace()
        guard peek() == UInt8(ascii: "\"") else { throw try mismatch("a string") }
        let token = try scanString()
        guard token.hasEscapes else {
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[token.start..<token.end]), as: UTF8.self)
        }
        return String(decoding: unescape(token), as: UTF8.self)
    }

    /// The most bytes of a name. It is more than any server accepts, and few enough for all operations on names.
    static let mostBytesOfName = 1_024

    /// Reads a string that must be short.
    ///
    /// - Throws: An error if the string has more than `most` bytes.
    mutating func readName(_ most: Int = JSONReader.mostBytesOfName) throws(WireCodingError) -> String {
        let text = try readString()
        guard text.utf8.count <= most else {
            throw wrongValue("'\(text.shown())' has \(text.utf8.count) bytes, at most \(most) are allowed")
        }
        return text
    }

    /// Reads a string that must be ASCII, because such texts are compared byte by byte.
    mutating func readOpaque() throws(WireCodingError) -> String {
        let text = try readString()
        guard text.isASCII else { throw wrongValue("the text '\(text.shown())', but only ASCII is allowed") }
        return text
    }

    /// Reads a string that should be one of several words; nil for another string.
    mutating func readWord<Word: RawRepresentable<String>>(_: Word.Type) throws(WireCodingError) -> Word? {
        try withStringBytes { bytes in
            guard bytes.count <= Self.mostBytesOfWord, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return Word(rawValue: String(decoding: bytes, as: UTF8.self))
        }
    }

    private static let mostBytesOfWord = 64

    /// Calls `body` with the UTF-8 bytes of the next string.
    mutating func withStringBytes<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) throws(WireCodingError) -> Value {
        skipWhitespace()
        guard peek() == UInt8(ascii: "\"") else { throw try mismatch("a string") }
        let token = try scanString()
        guard token.hasEscapes else { return body(UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])) }
        return unescape(token).withUnsafeBufferPointer(body)
    }

    mutating func scanKey() throws(WireCodingError) -> JSONKey {
        let token = try scanString()
        guard token.hasEscapes else {
            return JSONKey(bytes: UnsafeBufferPointer(rebasing: bytes[token.start..<token.end]))
        }
        let unescaped = unescape(token)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: unescaped.count)
        _ = copy.initialize(from: unescaped)
        unescapedKeys.append(copy)
        return JSONKey(bytes: UnsafeBufferPointer(copy))
    }

    /// Scans the string whose opening quote is at `position`, and checks its escapes and UTF-8.
    mutating func scanString() throws(WireCodingError) -> StringToken {
        position &+= 1
        let start = position
        var hasEscapes = false
        while true {
            skipPlainBytes()
            guard position < bytes.count else { throw syntax("a string without its closing quote") }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position &+= 1
                return StringToken(start: start, end: position &- 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0..<0x20: throw syntax("a control character in a string must be escaped")
            case 0x80...: try scanMultibyte()
            default: position &+= 1
            }
        }
    }

    /// Moves to the next quote, backslash, control character or byte outside ASCII, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlainBytes() {
        while position &+ 8 <= bytes.count {
            let raw = UnsafeRawPointer(bytes.baseAddress! + position).loadUnaligned(as: UInt64.self)
            let word = UInt64(littleEndian: raw)
            let found = JSONText.marks(word) | word & JSONText.highs
            guard found == 0 else {
                position &+= found.trailingZeroBitCount / 8
                return
            }
            position &+= 8
        }
    }

    private mutating func scanEscape() throws(WireCodingError) {
        let offset = position
        guard position &+ 1 < bytes.count else { throw syntax("an unfinished escape", at: bytes.count) }
        switch bytes[position &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position &+= 2
        case UInt8(ascii: "u"):
            let unit = try hexadecimal(at: position &+ 2)
            position &+= 6
            if unit & 0xFC00 == 0xDC00 { throw syntax("a lone surrogate in a string", at: offset) }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard position &+ 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position &+ 1] == UInt8(ascii: "u"),
                try hexadecimal(at: position &+ 2) & 0xFC00 == 0xDC00
            else { throw syntax("a lone surrogate in a string", at: offset) }
            position &+= 6
        default: throw syntax("an unknown escape in a string")
        }
    }

    private func hexadecimal(at offset: Int) throws(WireCodingError) -> UInt32 {
        guard offset &+ 4 <= bytes.count else { throw syntax("an unfinished \\u escape", at: bytes.count) }
        var value: UInt32 = 0
        for index in offset..<offset &+ 4 {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((byte | 0x20) - 0x61 + 10)
            default: throw syntax("a \\u escape needs four hexadecimal digits", at: index)
            }
        }
        return value
    }

    /// Checks one sequence of several bytes against table 3-7 of the Unicode Standard (well-formed UTF-8).
    private mutating func scanMultibyte() throws(WireCodingError) {
        let lead = bytes[position]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch lead {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0x80...0xBF)
            }
        guard length > 0, position &+ length <= bytes.count, second.contains(bytes[position &+ 1]) else {
            throw WireCodingError(kind: .syntax, message: "malformed UTF-8", offset: position)
        }
        for index in position &+ 2..<position &+ max(length, 2) where bytes[index] & 0xC0 != 0x80 {
            throw WireCodingError(kind: .syntax, message: "malformed UTF-8", offset: index)
        }
        position &+= length
    }

    /// The bytes of a string after `scanString` has checked it, with its escapes replaced.
    private func unescape(_ token: StringToken) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(token.end - token.start)
        var index = token.start
        while index < token.end {
            guard bytes[index] == UInt8(ascii: "\\") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            index += 2
            switch bytes[index - 1] {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): appendScalar(at: &index, to: &result)
            case let byte: result.append(byte)
            }
        }
        return result
    }

    /// Appends the scalar of a `\u` escape. This cannot fail, because `scanString` has checked the digits.
    private func appendScalar(at index: inout Int, to result: inout [UInt8]) {
        guard var scalar = try? hexadecimal(at: index) else { return }
        index += 4
        if scalar & 0xFC00 == 0xD800, let low = try? hexadecimal(at: index + 2) {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
            index += 6
        }
        if let scalar = Unicode.Scalar(scalar), let units = UTF8.encode(scalar) { result.append(contentsOf: units) }
    }
}
