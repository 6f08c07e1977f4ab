import Backstitch
import Foundation

/// The first byte of an encoded value. The numbers never change, because stores contain them.
private enum ValueTag: UInt8 {
    case null = 0, no, yes, int, double, decimal, string, date, data, uuid, uri, asset, object
}

extension ByteWriter {
    /// Writes a tag, then the value in the shortest form that keeps every bit.
    mutating func write(_ value: Value) {
        func tagged(_ tag: ValueTag) { write(byte: tag.rawValue) }
        switch value {
        case .null: tagged(.null)
        case .bool(let value): tagged(value ? .yes : .no)
        case .int(let value):
            tagged(.int)
            write(signed: value)
        case .double(let value):
            tagged(.double)
            write(fixed: value.bitPattern)
        case .decimal(let value):
            tagged(.decimal)
            write(text: value.canonicalText)
        case .string(let value):
            tagged(.string)
            write(text: value)
        case .date(let value):
            tagged(.date)
            write(signed: value.milliseconds)
        case .data(let value):
            tagged(.data)
            write(data: value)
        case .uuid(let value):
            tagged(.uuid)
            write(key: ObjectKey(value))
        case .uri(let value):
            tagged(.uri)
            write(text: value.absoluteString)
        case .asset(let value):
            tagged(.asset)
            write(signed: value.size)
            write(text: value.checksum)
        // A save has given the file this name before.
        case .file(let value): write(.asset(value.reference))
        case .object(let value):
            tagged(.object)
            write(text: value.entityName)
            write(key: value.key)
        }
    }
}

extension ByteReader {
    mutating func readValue() throws(BackstitchError) -> Value {
        let byte = try readByte()
        guard let tag = ValueTag(rawValue: byte) else { throw damaged("no value begins with \(byte)") }
        switch tag {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(try readSigned())
        case .double: return .double(Double(bitPattern: try readFixed()))
        case .decimal:
            let text = try readText()
            guard let number = Decimal(canonicalText: text) else {
                throw damaged("\"\(text)\" is not a decimal number")
            }
            return .decimal(number)
        case .string: return .string(try readText())
        case .date: return .date(Date(milliseconds: try readSigned()))
        case .data: return .data(Data(try readData()))
        case .uuid: return .uuid(try readKey().uuid)
        case .uri:
            let text = try readText()
            guard let uri = URL(string: text) else { throw damaged("\"\(text)\" is not a URI") }
            return .uri(uri)
        case .asset:
            let size = try readSigned()
            return .asset(AssetReference(checksum: try readText(), size: size))
        case .object:
            let entityName = try readText()
            return .object(ObjectID(entityName: entityName, key: try readKey()))
        }
    }
}
