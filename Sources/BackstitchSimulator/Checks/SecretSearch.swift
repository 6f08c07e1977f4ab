import Foundation

/// Looks for texts that nobody but devices may read, as they are and within base64.
package struct SecretSearch: Sendable {
    /// Each plaintext of a world begins with it.
    package static let hidden = SecretSearch("for-nobody-else-")
    /// Each text that is not encrypted beside them does: what is to be found, so that finding nothing of the others
    /// means something.
    package static let open = SecretSearch("for-everybody-")

    /// The text.
    package let text: String
    /// The bytes of which one is there where the text is.
    let patterns: [[UInt8]]

    /// - Parameter text: At least four characters of ASCII.
    package init(_ text: String) {
        self.text = text
        // Each three bytes are four characters: what stands before the text decides which of its bytes share one with
        // others.
        let inBase64 = (0..<3).map { before in
            let bytes = [UInt8](repeating: 0, count: before) + Array(text.utf8)
            let whole = bytes.count / 3 * 4
            return Array(Data(bytes).base64EncodedString().utf8.prefix(whole).dropFirst(before == 0 ? 0 : before + 1))
        }
        patterns = [Array(text.utf8)] + inBase64
    }

    /// Whether some bytes have it.
    package func isIn(_ bytes: [UInt8]) -> Bool {
        let data = Data(bytes)
        return patterns.contains { data.range(of: Data($0)) != nil }
    }

    /// A condition of SQL: whether one of some columns has it.
    func condition(_ columns: [String]) -> String {
        columns.flatMap { column in
            patterns.map { pattern in
                let hexadecimal = pattern.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                return "instr(CAST(\"\(column)\" AS BLOB), x'\(hexadecimal)') > 0"
            }
        }.joined(separator: " OR ")
    }
}
