import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// A field's value in the form of a row's cell.
enum DecodedCell {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
    case bytes(Data)
    case key(ObjectKey)

    /// Converts a field's value to a cell of the column.
    ///
    /// - Throws: ``RecordFault`` when the column's type does not accept it.
    init(_ value: WireValue, for column: ResolvedProperty, zone: String) throws(RecordFault) {
        guard let attribute = column.attribute else {
            guard case .reference(let reference) = value else { throw Self.fault(value, column, "a reference") }
            self = .key(RecordName.key(of: reference.recordName, zone: zone).key)
            return
        }
        switch (attribute.type, value) {
        case (.integer16, .int64(let number)) where Int16(exactly: number) != nil: self = .int(number)
        case (.integer32, .int64(let number)) where Int32(exactly: number) != nil: self = .int(number)
        case (.integer64, .int64(let number)): self = .int(number)
        case (.boolean, .int64(let number)) where number == 0 || number == 1: self = .int(number)
        case (.date, .timestamp(let number)), (.date, .int64(let number)): self = .int(number)
        case (.double, .double(let number)): self = .double(number)
        case (.double, .int64(let number)): self = .double(Double(number))
        case (.float, .double(let number)) where Float(number).isFinite: self = .double(Double(Float(number)))
        case (.float, .int64(let number)): self = .double(Double(Float(number)))
        case (.string, .string(let text)): self = .text(text)
        case (.decimal, .int64(let number)): self = .text(Decimal(number).canonicalText)
        case (.decimal, .string(let text)):
            guard let number = Decimal(canonicalText: text) else { throw Self.fault(value, column, "a decimal number") }
            self = .text(number.canonicalText)
        case (.uuid, .string(let text)):
            guard let key = ObjectKey(uuidString: text) else { throw Self.fault(value, column, "a UUID") }
            self = .key(key)
        case (.uri, .string(let text)):
            guard URL(string: text) != nil else { throw Self.fault(value, column, "a URI") }
            self = .text(text)
        case (.binary, .bytes(let data)) where !attribute.allowsExternalStorage: self = .bytes(data)
        case (.transformable, .bytes(let data)): self = .bytes(data)
        case (.binary, .asset(let asset)) where attribute.allowsExternalStorage:
            self = .text(AssetReference(checksum: asset.fileChecksum, size: asset.size).text)
        default: throw Self.fault(value, column, "\(attribute.type)")
        }
    }

    private static func fault(_ value: WireValue, _ column: ResolvedProperty, _ expected: String) -> RecordFault {
        RecordFault("the field \(column.name) is \(value.summary), but the model has \(expected)")
    }
}

extension RowBatchBuilder {
    mutating func append(_ cell: DecodedCell) {
        switch cell {
        case .null: appendNull()
        case .int(let number): append(int: number)
        case .double(let number): append(double: number)
        case .text(let text): append(string: text)
        case .bytes(let data): data.withUnsafeBytes { append(bytes: $0) }
        case .key(let key): append(key: key)
        }
    }
}

extension WireValue {
    /// The type and the beginning of the value, for messages.
    var summary: String {
        let text: String
        switch self {
        case .string(let value): text = "\"\(value.shown(40))\""
        case .int64(let value), .timestamp(let value): text = "\(value)"
        case .double(let value): text = "\(value)"
        case .bytes(let value): text = "\(value.count) bytes"
        case .reference(let value): text = value.recordName.shown()
        default: return type.rawValue
        }
        return "\(type.rawValue) \(text)"
    }
}
