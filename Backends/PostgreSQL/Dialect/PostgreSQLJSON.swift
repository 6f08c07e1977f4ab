import Backstitch
import BackstitchSupport
import Foundation

/// Many values in one parameter: a JSON array of texts. PostgreSQL splits it, and reads each text as the column's type.
enum PostgreSQLJSON {
    static func array(_ values: [Value]) -> String {
        var text = "["
        for (index, value) in values.enumerated() {
            if index > 0 { text += "," }
            append(self.text(of: value), to: &text)
        }
        return text + "]"
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .null: ""
        case .data(let value): value.hexadecimal
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): "\(value)"
        case .decimal(let value): value.canonicalText
        case .string(let value): value
        case .date(let value): String(value.milliseconds)
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .asset(let value): value.text
        case .file(let value): value.reference.text
        case .object(let value): value.key.uuidString
        }
    }

    /// Appends a text in quotes, with escapes for quotes, backslashes and control characters.
    private static func append(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
