import BackstitchSupport
import Foundation

extension WireValue {
    /// Reads the raw value of a field of a known type.
    static func read(as type: WireValueType, from reader: inout JSONReader) throws(WireCodingError) -> WireValue {
        switch type {
        case .string: .string(try reader.readString())
        case .int64: .int64(try reader.readFieldInt64())
        case .double: .double(try reader.readFieldDouble())
        case .timestamp: .timestamp(try reader.readFieldInt64())
        case .bytes: .bytes(try reader.readBase64())
        case .reference: .reference(try WireReference.read(from: &reader))
        case .asset: .asset(try WireAsset.read(from: &reader))
        case .location: .location(try WireLocation.read(from: &reader))
        default: try readList(as: type, from: &reader)
        }
    }

    private static func readList(
        as type: WireValueType, from reader: inout JSONReader
    ) throws(WireCodingError) -> WireValue {
        switch type {
        case .stringList:
            .stringList(try reader.readArray { (reader) throws(WireCodingError) in try reader.readString() })
        case .int64List:
            .int64List(try reader.readArray { (reader) throws(WireCodingError) in try reader.readFieldInt64() })
        case .doubleList:
            .doubleList(try reader.readArray { (reader) throws(WireCodingError) in try reader.readFieldDouble() })
        case .timestampList:
            .timestampList(try reader.readArray { (reader) throws(WireCodingError) in try reader.readFieldInt64() })
        case .bytesList:
            .bytesList(try reader.readArray { (reader) throws(WireCodingError) in try reader.readBase64() })
        case .referenceList: .referenceList(try [WireReference].read(from: &reader))
        case .assetList: .assetList(try [WireAsset].read(from: &reader))
        case .locationList: .locationList(try [WireLocation].read(from: &reader))
        default: try readInferring(from: &reader)
        }
    }

    /// Reads a value without a type tag: integers become INT64, numbers with a fraction DOUBLE, booleans INT64.
    static func readInferring(from reader: inout JSONReader) throws(WireCodingError) -> WireValue {
        reader.skipWhitespace()
        switch reader.peek() {
        case UInt8(ascii: "["):
            guard let type = try elementType(from: &reader) else {
                try reader.skip()
                return .unknownList
            }
            return try readList(as: type, from: &reader)
        default:
            let type = try scalarType(from: &reader)
            return try read(as: type, from: &reader)
        }
    }

    /// The list type that the elements suggest; nil for an empty list. The reader returns to its position.
    private static func elementType(from reader: inout JSONReader) throws(WireCodingError) -> WireValueType? {
        let mark = reader.mark
        defer { reader.rewind(to: mark) }
        try reader.enterArray()
        guard try reader.nextElement() else { return nil }
        var element = try scalarType(from: &reader)
        try reader.skip()
        // A single number with a fraction makes all numbers of the list doubles.
        while element == .int64, try reader.nextElement() {
            if try scalarType(from: &reader) == .double { element = .double }
            try reader.skip()
        }
        return WireValueType.allCases.first { $0.element == element }
    }

    /// The type that the next value suggests. The reader returns to its position.
    private static func scalarType(from reader: inout JSONReader) throws(WireCodingError) -> WireValueType {
        reader.skipWhitespace()
        let mark = reader.mark
        defer { reader.rewind(to: mark) }
        switch reader.peek() {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .int64
        case UInt8(ascii: "{"):
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "recordName": return .reference
                case "fileChecksum", "receipt", "downloadURL": return .asset
                case "latitude", "longitude": return .location
                default: try reader.skip()
                }
            }
            throw reader.wrongValue("cannot tell the field's type from this object; give a type", at: mark.position)
        case UInt8(ascii: "["): throw reader.wrongValue("a list of lists is not a field value")
        default: return try reader.numberToken("a field value").isInteger ? .int64 : .double
        }
    }
}

extension JSONReader {
    /// Reads an integer of a field. Also accepts a string with one, and true or false.
    mutating func readFieldInt64() throws(WireCodingError) -> Int64 {
        skipWhitespace()
        let offset = position
        switch peek() {
        case UInt8(ascii: "\""):
            let text = try readString()
            guard let value = Int64(text) else {
                throw wrongValue("the string '\(text.shown(40))' is not a signed 64-bit integer", at: offset)
            }
            return value
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return try readBool() ? 1 : 0
        default: return try readInt64()
        }
    }

    /// Reads a number of a field. Also accepts a string with one.
    mutating func readFieldDouble() throws(WireCodingError) -> Double {
        skipWhitespace()
        let offset = position
        guard peek() == UInt8(ascii: "\"") else { return try readDouble() }
        let text = try readString()
        guard let value = Double(text), value.isFinite else {
            throw wrongValue("the string '\(text.shown(40))' is not a finite number", at: offset)
        }
        return value
    }

    mutating func readBase64() throws(WireCodingError) -> Data {
        skipWhitespace()
        let offset = position
        guard let data = try withStringBytes({ Data(base64Encoded: Data(buffer: $0)) }) else {
            throw wrongValue("the string is not base64", at: offset)
        }
        return data
    }
}
