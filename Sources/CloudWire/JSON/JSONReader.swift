import BackstitchSupport

/// A single-pass pull parser over UTF-8 bytes.
///
/// Stricter than most parsers, because two parsers with different results for one message are a security hole. It
/// refuses duplicate keys (after unescaping), lone surrogates, malformed UTF-8, and numbers outside the requested type.
/// It also refuses nesting deeper than ``maximumDepth`` and objects of more than ``maximumKeys`` keys. The cost is
/// linear in the message, and only requested values are built.
///
/// Use: `enterObject()`, then `nextKey()` until nil, with exactly one value read or skipped for each key. Arrays work
/// in the same way with `enterArray()` and `nextElement()`.
package struct JSONReader: ~Copyable {
    static let maximumDepth = 32
    static let maximumKeys = 1024

    struct Frame {
        var keyBase: Int
        var isFirst: Bool
    }

    struct SeenKey {
        var digest: UInt64
        var key: JSONKey
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var frames: [Frame] = []
    var seenKeys: [SeenKey] = []
    var table = Table()
    /// Whether a record may have unreadable fields, see ``FaultyFields``.
    var keepsFaultyFields = false
    /// Keys with escapes, after unescaping; freed with the reader.
    var unescapedKeys: [UnsafeMutableBufferPointer<UInt8>] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        frames.reserveCapacity(Self.maximumDepth)
        seenKeys.reserveCapacity(128)
    }

    deinit {
        for key in unescapedKeys { key.deallocate() }
    }

    /// Reads one value with `body`, and requires that only white space follows it.
    static func read<Value>(
        _ source: some Sequence<UInt8>, keepsFaultyFields: Bool = false,
        _ body: (inout JSONReader) throws(WireCodingError) -> Value
    ) throws(WireCodingError) -> Value {
        func run(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Value, WireCodingError> {
            var reader = JSONReader(bytes)
            reader.keepsFaultyFields = keepsFaultyFields
            do throws(WireCodingError) {
                let value = try body(&reader)
                try reader.expectEnd()
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        if let result = source.withContiguousStorageIfAvailable(run) { return try result.get() }
        return try Array(source).withUnsafeBufferPointer(run).get()
    }

    // MARK: Structure

    mutating func enterObject() throws(WireCodingError) {
        try enter(UInt8(ascii: "{"), "an object")
    }

    mutating func enterArray() throws(WireCodingError) {
        try enter(UInt8(ascii: "["), "an array")
    }

    /// The next key of the innermost object. At its end the result is nil, and the closing brace is consumed.
    mutating func nextKey() throws(WireCodingError) -> JSONKey? {
        guard try advance(closing: UInt8(ascii: "}")) else { return nil }
        guard peek() == UInt8(ascii: "\"") else { throw syntax("expected a key in quotes") }
        let offset = position
        let key = try scanKey()
        try remember(key, at: offset)
        skipWhitespace()
        guard peek() == UInt8(ascii: ":") else { throw syntax("expected ':' after key '\(key.string.shown())'") }
        position &+= 1
        return key
    }

    /// True if the innermost array has another element. The caller must then read or skip it.
    mutating func nextElement() throws(WireCodingError) -> Bool {
        try advance(closing: UInt8(ascii: "]"))
    }

    /// Reads `null` if it is the next value.
    mutating func readNull() throws(WireCodingError) -> Bool {
        skipWhitespace()
        guard peek() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    mutating func expectEnd() throws(WireCodingError) {
        skipWhitespace()
        guard position == bytes.count else { throw syntax("unexpected text after the message") }
    }

    // MARK: Helpers

    @inline(__always)
    func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
            default: return
            }
        }
    }

    mutating func literal(_ text: StaticString) throws(WireCodingError) {
        let count = text.utf8CodeUnitCount
        for index in 0..<count {
            guard position + index < bytes.count, bytes[position + index] == text.utf8Start[index] else {
                throw syntax("expected '\(text)'")
            }
        }
        position += count
    }

    func syntax(_ message: String, at offset: Int? = nil) -> WireCodingError {
        let place = offset ?? position
        let what = place >= bytes.count ? "\(message), but the message ends" : message
        return WireCodingError(kind: .syntax, message: what, offset: place)
    }

    func wrongValue(_ message: String, at offset: Int? = nil) -> WireCodingError {
        WireCodingError(kind: .value, message: message, offset: offset ?? position)
    }

    /// The error for a value of the wrong kind. It names the value's key.
    func wrongKind(_ message: String, at offset: Int) -> WireCodingError {
        wrongValue(table.reading.map { "\($0): \(message)" } ?? message, at: offset)
    }

    private mutating func enter(_ opening: UInt8, _ what: String) throws(WireCodingError) {
        skipWhitespace()
        guard peek() == opening else { throw try mismatch(what) }
        table.reading = nil
        guard frames.count < Self.maximumDepth else {
            throw syntax("nested deeper than \(Self.maximumDepth) levels")
        }
        position &+= 1
        frames.append(Frame(keyBase: seenKeys.count, isFirst: true))
    }

    private mutating func advance(closing: UInt8) throws(WireCodingError) -> Bool {
        skipWhitespace()
        if peek() == closing {
            position &+= 1
            let frame = frames.removeLast()
            seenKeys.removeLast(seenKeys.count &- frame.keyBase)
            return false
        }
        let last = frames.count &- 1
        if frames[last].isFirst {
            frames[last].isFirst = false
        } else {
            guard peek() == UInt8(ascii: ",") else {
                throw syntax("expected ',' or '\(Character(Unicode.Scalar(closing)))'")
            }
            position &+= 1
            skipWhitespace()
        }
        return true
    }

    /// Notes a key of the innermost object, and refuses a duplicate or too many keys.
    private mutating func remember(_ key: JSONKey, at offset: Int) throws(WireCodingError) {
        let digest = key.digest
        let base = frames[frames.count &- 1].keyBase
        var index = base
        while index < seenKeys.count {
            if seenKeys[index].digest == digest, seenKeys[index].key.equals(key) {
                throw syntax("duplicate key '\(key.string.shown())'", at: offset)
            }
            index &+= 1
        }
        guard seenKeys.count &- base < Self.maximumKeys else {
            throw syntax("an object of more than \(Self.maximumKeys) keys", at: offset)
        }
        seenKeys.append(SeenKey(digest: digest, key: key))
    }
}
