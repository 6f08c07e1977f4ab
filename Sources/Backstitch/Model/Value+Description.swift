import Foundation

extension Value: CustomStringConvertible, CustomDebugStringConvertible {
    /// The case with its value, in the manner of Swift: `int(7)`, `date(2023-11-14T22:13:20Z)`. Every value has one,
    /// also dates that Foundation cannot describe.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "bool(\(value))"
        case .int(let value): "int(\(value))"
        case .double(let value): "double(\(value))"
        case .decimal(let value): "decimal(\(value))"
        case .string(let value): "string(\(value.debugDescription))"
        case .date(let value): "date(\(value.text))"
        case .data(let value): "data(\(value.count) bytes)"
        case .uuid(let value): "uuid(\(value.uuidString))"
        case .uri(let value): "uri(\(value.absoluteString))"
        case .asset(let value): "asset(\(value.checksum), \(value.size) bytes)"
        case .file(let value): "file(\(value.url.path))"
        case .object(let value): "object(\(value))"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
