import Foundation

/// Looks for texts that only devices may read, as plain text and within base64.
package struct SecretSearch: Sendable {
    /// The prefix of each plaintext in a world.
    package static let hidden = SecretSearch("for-nobody-else-")
    /// The prefix of each text without encryption. The search must find these texts; otherwise its failure to find the
    /// others would prove nothing.
    package static let open = SecretSearch("for-everybody-")

    /// The text that the search looks for.
    package let text: String
    /// Byte patterns. If the text is present, at least one of them is.
    let patterns: [[UInt8]]

    /// - Parameter text: At least four characters of ASCII.
    package init(_ text: String) {
        self.text = text
        // In base64, three bytes become four characters. The number of bytes before the text decides how it is cut, so
        // there are three cases. The characters that the text shares with other bytes are left out.
        let inBase64 = (0..<3).map { before in
            let bytes = [UInt8](repeating: 0, count: before) + Array(text.utf8)
            let whole = bytes.count / 3 * 4
            return Array(Data(bytes).base64EncodedString().utf8.prefix(whole).dropFirst(before == 0 ? 0 : before + 1))
        }
        patterns = [Array(text.utf8)] + inBase64
    }

    /// Whether the bytes contain the text.
    package func isIn(_ bytes: [UInt8]) -> Bool {
        let data = Data(bytes)
        return patterns.contains { data.range(of: Data($0)) != nil }
    }

    /// An SQL condition: whether one of the columns contains the text.
    func condition(_ columns: [String]) -> String {
        columns.flatMap { column in
            patterns.map { pattern in
                let hexadecimal = pattern.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                return "instr(CAST(\"\(column)\" AS BLOB), x'\(hexadecimal)') > 0"
            }
        }.joined(separator: " OR ")
    }
}
