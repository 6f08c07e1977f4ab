import Backstitch
import BackstitchSupport

/// Values as a JSON array, in a form that `json_each` can read.
enum SQLiteJSON {
    /// Returns integers, dates and truth values as integers, text and decimals as strings, bytes as their hexadecimal
    /// digits. Other kinds are left out.
    static func array(_ values: [Value]) -> String {
        var text = "["
        for value in values {
            if text.utf8.count > 1 { text += "," }
            switch value {
            case .int(let number): text += "\(number)"
            case .bool(let value): text += value ? "1" : "0"
            case .date(let date): text += "\(date.milliseconds)"
            case .string(let string): append(string, to: &text)
            case .decimal(let number): append(number.canonicalText, to: &text)
            case .data(let data): append(data.hexadecimal, to: &text)
            default: continue
            }
        }
        return text + "]"
    }

    /// Appends a string in quotes, with escapes for quotes, backslashes and control characters.
    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let hexadecimal = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
