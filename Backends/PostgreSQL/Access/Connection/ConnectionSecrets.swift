import Foundation

/// The password and other secrets of a connection, by the client library's names. They describe themselves as dots, and
/// are cut out of messages that might repeat them.
struct ConnectionSecrets: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var texts: [String: String] = [:]

    /// A secret by its name; nil for none. An empty text is none.
    subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// All of them, with their names.
    var pairs: [(String, String)] { texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    var description: String { "•••" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// A message without line ends at its end, and without the secrets.
    func hidden(in message: String) -> String {
        // A secret that is part of another would leave the rest of that one.
        texts.values.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(message.trimmingCharacters(in: .whitespacesAndNewlines)) {
                $0.replacingOccurrences(of: $1, with: description)
            }
    }
}
