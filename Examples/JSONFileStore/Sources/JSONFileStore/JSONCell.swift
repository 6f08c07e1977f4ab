import Backstitch
import Foundation

/// A value in JSON. The type of the column gives its meaning.
enum JSONCell: Codable, Sendable {
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        }
    }

    /// Makes a cell of a value. The result is nil for null, since the file leaves nulls out.
    init?(_ value: Value) {
        switch value {
        case .null: return nil
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .double(let value): self = Self.cell(value)
        case .decimal(let value): self = .string(value.description)
        case .string(let value): self = .string(value)
        case .date(let value): self = .int(value.milliseconds)
        case .data(let value): self = .string(value.base64EncodedString())
        case .uuid(let value): self = .string(value.uuidString)
        case .uri(let value): self = .string(value.absoluteString)
        case .asset(let value): self = .string("\(value.size):\(value.checksum)")
        case .file(let value): self = .string("\(value.reference.size):\(value.reference.checksum)")
        case .object(let value): self = .string(value.key.uuidString)
        }
    }

    /// Makes the cell of a number. JSON has neither NaN nor infinities, and its readers lose the sign of zero: these
    /// are written as hexadecimal bits.
    private static func cell(_ value: Double) -> JSONCell {
        let isPlain = value.isFinite && !(value == 0 && value.sign == .minus)
        return isPlain ? .double(value) : .string(String(value.bitPattern, radix: 16))
    }

    /// - Throws: ``BackstitchError/Code/storeFailure`` when the cell is not a value of the column.
    func value(of column: ResolvedProperty, _ key: UUID) throws -> Value {
        let value = column.attribute.map { read($0) } ?? reference(to: column.relationship)
        guard let value else { throw StoredContent.damaged("\(column.name) of \(key)") }
        return value
    }

    private func reference(to relationship: ResolvedRelationship?) -> Value? {
        guard case .string(let text) = self, let key = ObjectKey(uuidString: text), let relationship else { return nil }
        return .object(ObjectID(entityName: relationship.description.destination, key: key))
    }

    private func read(_ attribute: AttributeDescription) -> Value? {
        switch (attribute.type, self) {
        case (.boolean, .bool(let value)): .bool(value)
        case (.integer16, .int(let value)), (.integer32, .int(let value)), (.integer64, .int(let value)): .int(value)
        case (.date, .int(let value)): .date(Date(milliseconds: value))
        case (.double, .double(let value)), (.float, .double(let value)): .double(value)
        case (.double, .int(let value)), (.float, .int(let value)): .double(Double(value))
        case (_, .string(let text)): read(text, attribute)
        default: nil
        }
    }

    private func read(_ text: String, _ attribute: AttributeDescription) -> Value? {
        switch attribute.type {
        case .string: .string(text)
        case .decimal: Decimal(string: text, locale: nil).map(Value.decimal)
        case .double, .float: UInt64(text, radix: 16).map { .double(Double(bitPattern: $0)) }
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: URL(string: text).map(Value.uri)
        case .binary where attribute.allowsExternalStorage: Self.asset(text)
        case .binary, .transformable: Data(base64Encoded: text).map(Value.data)
        default: nil
        }
    }

    private static func asset(_ text: String) -> Value? {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let size = Int64(parts[0]) else { return nil }
        return .asset(AssetReference(checksum: String(parts[1]), size: size))
    }
}
