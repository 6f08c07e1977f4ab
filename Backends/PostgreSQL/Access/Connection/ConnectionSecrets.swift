import Foundation

/// The password and other secrets of a connection, by the client library's names. Their description is only dots. They
/// are removed from messages that might repeat them.
struct ConnectionSecrets: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var texts: [String: String] = [:]

    /// A secret by its name; nil for none. An empty text is removed.
    subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// All secrets with their names, in the order of names.
    var pairs: [(String, String)] { texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    var description: String { "•••" }
    var debugDescription: String { description }
    /// Hides the content from `dump` and debuggers.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// A message without white space at its ends, and without the secrets.
    func hidden(in message: String) -> String {
        // A long secret is removed first: a shorter one inside it would leave the rest visible.
        texts.values.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(message.trimmingCharacters(in: .whitespacesAndNewlines)) {
                $0.replacingOccurrences(of: $1, with: description)
            }
    }
}
