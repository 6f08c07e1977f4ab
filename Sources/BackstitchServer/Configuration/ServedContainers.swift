/// The containers served by a server.
///
/// ```swift
/// configuration.containers = .declared(["iCloud.org.example.notes"])
/// ```
public enum ServedContainers: Sendable, Hashable {
    /// Containers with these names only. A request for another one is answered with NOT_FOUND.
    case declared(Set<String>)
    /// All containers, under any name in a request. The number of databases begun by one user is limited
    /// (``UserQuotas/databases``).
    case any

    func contains(_ name: String) -> Bool {
        switch self {
        case .declared(let names): names.contains(name)
        case .any: true
        }
    }

    /// The fault of the set: a malformed name, or no name at all; nil when all is well.
    var fault: String? {
        guard case .declared(let names) = self else { return nil }
        guard !names.isEmpty else {
            return "no container is declared, so nothing could be served; name one, or say .any"
        }
        return names.sorted().first { !Self.isName($0) }.map {
            "'\($0.prefix(60))' is not a name of a container: it has 1 to 255 letters, digits, '.', '-' and '_'"
        }
    }

    /// Whether a text can name a container: 1 to 255 letters, digits, '.', '-' and '_'.
    static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
