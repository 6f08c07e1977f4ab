extension PlainJSON {
    /// The position of the first error in an invalid JSON text.
    package struct Fault: Error, Sendable { let position: Int }

    /// Reads a whole JSON text. This parser is independent of the project's own writer, and so it tests that.
    package init(_ bytes: [UInt8]) throws(Fault) {
        var reader = PlainJSONReader(bytes: bytes)
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw Fault(position: reader.position) }
    }
}

private struct PlainJSONReader {
    let bytes: [UInt8]
    var position = 0

    private var fault: PlainJSON.Fault { .init(position: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    mutating func value(depth: Int) throws(PlainJSON.Fault) -> PlainJSON {
        guard depth < 64 else { throw fault }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: PlainJSON) throws(PlainJSON.Fault) -> PlainJSON {
        guard bytes[position...].starts(with: word.utf8) else { throw fault }
        position += word.utf8.count
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func object(_ depth: Int) throws(PlainJSON.Fault) -> PlainJSON {
        position += 1
        var keys: [String: PlainJSON] = [:]
        if take("}") { return .object(keys) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault }
            let key = try string()
            guard take(":"), keys[key] == nil else { throw fault }
            keys[key] = try value(depth: depth + 1)
            if take("}") { return .object(keys) }
            guard take(",") else { throw fault }
        }
    }

    private mutating func array(_ depth: Int) throws(PlainJSON.Fault) -> PlainJSON {
        position += 1
        var elements: [PlainJSON] = []
        if take("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            if take("]") { return .array(elements) }
            guard take(",") else { throw fault }
        }
    }

    private mutating func number() throws(PlainJSON.Fault) -> PlainJSON {
        let start = position
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw fault }
        return .number(number)
    }

    private mutating func string() throws(PlainJSON.Fault) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw fault
            default: text.append(byte)
            }
        }
        throw fault
    }

    private mutating func escape(into text: inout [UInt8]) throws(PlainJSON.Fault) {
        guard let byte = next else { throw fault }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"):
            var unit = try hexadecimal()
            if (0xD800..<0xDC00).contains(unit) {
                guard bytes[position...].starts(with: "\\u".utf8) else { throw fault }
                position += 2
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw fault }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw fault }
            text += Array(String(Character(scalar)).utf8)
        default: throw fault
        }
    }

    private mutating func hexadecimal() throws(PlainJSON.Fault) -> UInt32 {
        guard position + 4 <= bytes.count,
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw fault }
        position += 4
        return unit
    }
}
