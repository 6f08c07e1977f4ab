import Foundation

extension Value: CustomStringConvertible {
    /// The value in readable form: `Buy thread`, `3`, `2026-01-01T00:00:00Z`; `null` for no value. Bytes and assets
    /// print as their size, an object as its identity. Every value has a text, even a date that Foundation cannot
    /// describe.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): value.text
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): "\(value)"
        case .uri(let value): value.absoluteString
        case .asset(let value): "asset of \(value.size) bytes"
        case .file(let value): "file of \(value.reference.size) bytes"
        case .object(let value): "\(value)"
        }
    }
}

extension Value: CustomDebugStringConvertible {
    /// The value with its type: `the string "Buy thread"`. Long texts are cut.
    public var debugDescription: String { summary }
}
