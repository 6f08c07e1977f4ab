extension JSONReader {
    /// A place just before a value, to which the reader can go back to read the value another way.
    struct Mark {
        let position: Int
        let depth: Int
        let keys: Int
    }

    var mark: Mark {
        Mark(position: position, depth: frames.count, keys: seenKeys.count)
    }

    /// Goes back to a mark taken at this or an outer depth.
    mutating func rewind(to mark: Mark) {
        position = mark.position
        frames.removeLast(frames.count - mark.depth)
        seenKeys.removeLast(seenKeys.count - mark.keys)
    }

    /// Skips one value of any kind, checking it as strictly as one that is read.
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

    /// The error for a value of another kind than `expected`; a syntax error where there is no value at all.
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
