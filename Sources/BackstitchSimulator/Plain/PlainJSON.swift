/// A JSON value as a tree, for a server that checks every key it receives.
package indirect enum PlainJSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([PlainJSON])
    case object([String: PlainJSON])

    /// The value of a key; null if the value is not an object or lacks the key.
    package subscript(key: String) -> PlainJSON {
        get {
            if case .object(let keys) = self { return keys[key] ?? .null }
            return .null
        }
        set {
            var keys = self.keys
            keys[key] = newValue
            self = .object(keys)
        }
    }

    var keys: [String: PlainJSON] {
        if case .object(let keys) = self { return keys }
        return [:]
    }

    package var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    var flag: Bool? {
        if case .bool(let flag) = self { return flag }
        return nil
    }

    package var elements: [PlainJSON] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// Makes an object, without the keys whose value is nil.
    static func made(_ keys: KeyValuePairs<String, PlainJSON?>) -> PlainJSON {
        .object(Dictionary(keys.compactMap { key, value in value.map { (key, $0) } }, uniquingKeysWith: { $1 }))
    }
}

extension PlainJSON {
    /// The bytes, with the keys of objects in order.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .number(let number): bytes += "\(number)".utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let keys):
            bytes.append(UInt8(ascii: "{"))
            for (index, pair) in keys.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(pair.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                pair.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
