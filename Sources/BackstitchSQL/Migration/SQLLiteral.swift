import Backstitch
import Foundation

/// Values written into a statement's text, where a database takes no parameters.
enum SQLLiteral {
    /// The literal of a value in the form in which rows keep it; nil for null and for what has no literal that keeps every bit.
    static func text(_ value: Value, _ dialect: SQLDialect) -> String? {
        switch value {
        case .null, .asset, .object: nil
        case .bool(let value): dialect == .sqlite ? (value ? "1" : "0") : (value ? "TRUE" : "FALSE")
        case .int(let value): integer(value)
        case .date(let value): integer(value.milliseconds)
        case .double(let value): value.isFinite && value.sign == .plus ? "\(value)" : nil
        case .decimal(let value): dialect == .sqlite ? quoted(value.canonicalText) : value.canonicalText
        case .string(let value): quoted(value)
        case .uri(let value): quoted(value.absoluteString)
        case .data(let value): bytes(value, dialect)
        case .uuid(let value): dialect == .sqlite ? bytes(ObjectKey(value).data, dialect) : "'\(value.uuidString)'"
        }
    }

    /// The least integer has no literal of its own: it would be the negative of one too large.
    private static func integer(_ value: Int64) -> String? { value == .min ? nil : "\(value)" }

    private static func quoted(_ text: String) -> String? {
        guard !text.utf8.contains(0) else { return nil }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private static func bytes(_ data: Data, _ dialect: SQLDialect) -> String {
        let digits = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return dialect == .sqlite ? "X'\(digits)'" : "'\\x\(digits)'"
    }
}

extension ObjectKey {
    fileprivate var data: Data { withBytes { Data($0) } }
}
