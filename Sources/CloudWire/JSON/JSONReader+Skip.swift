extension JSONReader {
    /// A position just before a value. The reader can return there to read the value in another way.
    struct Mark {
        let position: Int
        let depth: Int
        let keys: Int
    }

    var mark: Mark {
        Mark(position: position, depth: frames.count, keys: seenKeys.count)
    }

    /// Returns to a mark of this depth or an outer one.
    mutating func rewind(to mark: Mark) {
        position = mark.position
        frames.removeLast(frames.count - mark.depth)
        seenKeys.removeLast(seenKeys.count - mark.keys)
    }

    /// Skips a value of any kind, with the same strict checks as for a read value.
    mutating func skip() throws(WireCodingError) {
        skipWhitespace()
        switch peek() {
        case UInt8(ascii: "{"):
            try enterObject()
            while try nextKey() != nil { try skip() }
        case UInt8(ascii: "["):
            try enterArray()
            while try nextElement() { try skip() }
        case UInt8(ascii: "\""): _ = try scanString()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: _ = try scanNumber()
        }
    }

    /// The error for a value of another kind than `expected`; a syntax error if there is no value.
    mutating func mismatch(_ expected: String) throws(WireCodingError) -> WireCodingError {
        skipWhitespace()
        let offset = position
        let found =
            switch peek() {
            case UInt8(ascii: "{"): "an object"
            case UInt8(ascii: "["): "an array"
            case UInt8(ascii: "\""): "a string"
            case UInt8(ascii: "t"), UInt8(ascii: "f"): "a boolean"
            case UInt8(ascii: "n"): "null"
            default: "a number"
            }
        if found == "a number" { _ = try scanNumber() }
        return wrongKind("expected \(expected), found \(found)", at: offset)
    }
}
