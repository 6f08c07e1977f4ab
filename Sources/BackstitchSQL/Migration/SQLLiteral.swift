import Backstitch
import Foundation

/// Values as text in a statement, for statements that take no parameters.
package enum SQLLiteral {
    /// The literal of a value in its stored form. Nil for null, and for values without a literal that keeps every bit.
    static func text(_ value: Value, _ dialect: some SQLDialect) -> String? {
        switch value {
        case .null, .asset, .file, .object: nil
        case .bool(let value): dialect.literal(value)
        case .int(let value): integer(value)
        case .date(let value): integer(value.milliseconds)
        case .double(let value): value.isFinite && value.sign == .plus ? "\(value)" : nil
        case .decimal(let value): dialect.literal(value)
        case .string(let value): text(value)
        case .uri(let value): text(value.absoluteString)
        case .data(let value): dialect.literal(value)
        case .uuid(let value): dialect.literal(value)
        }
    }

    /// The least integer has no literal: it would be the negative of a number that is too large.
    private static func integer(_ value: Int64) -> String? { value == .min ? nil : "\(value)" }

    private static func text(_ text: String) -> String? { text.utf8.contains(0) ? nil : quoted(text) }

    /// The literal of a text without U+0000.
    package static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
