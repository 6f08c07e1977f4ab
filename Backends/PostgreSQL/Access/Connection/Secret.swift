import Foundation

/// A password. It describes itself as dots, and is cut out of messages that might repeat it.
struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The password itself.
    let text: String

    var description: String { "•••" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// A message without line ends at its end, and without the password.
    func hidden(in message: String) -> String {
        let message = message.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? message : message.replacingOccurrences(of: text, with: description)
    }
}
