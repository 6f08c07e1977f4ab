/// Operations on eight bytes of text at a time.
enum JSONText {
    /// The highest bit of each byte that is a quote, a backslash or a control character. Only the lowest mark is
    /// reliable, because subtraction borrows from the bytes above it.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let controls = (word &- (ones &* 0x20)) & ~word
        return (((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | controls) & highs
    }

    /// The highest bit of each of the eight bytes.
    static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Whether these bytes need escapes in a JSON string.
    static func needsEscapes(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index &+ 8 <= utf8.count {
            let raw = UnsafeRawPointer(utf8.baseAddress! + index).loadUnaligned(as: UInt64.self)
            if marks(UInt64(littleEndian: raw)) != 0 { return true }
            index &+= 8
        }
        while index < utf8.count {
            let byte = utf8[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
            index &+= 1
        }
        return false
    }
}
