import BackstitchServer
import Foundation

/// A server-to-server key as a line of the users' file: `name server-key id key`. After these, in any order, there may
/// be `container` and a name, several times, and `until` and a day.
enum KeyLine {
    private typealias Key = ZoneServerConfiguration.ServerKey

    static func text(_ key: ZoneServerConfiguration.ServerKey) -> String {
        var words = [key.userRecordName, "server-key", key.keyID, key.publicKey]
        for container in (key.containers ?? []).sorted() { words += ["container", container] }
        if let end = key.expires { words += ["until", end.formatted(UsersFile.day)] }
        return words.joined(separator: " ")
    }

    /// Reads a key from the words of a line.
    ///
    /// - Returns: The key; nil for the words of another line.
    static func read(_ words: [Substring]) -> ZoneServerConfiguration.ServerKey? {
        guard words.count >= 4, words[1] == "server-key" else { return nil }
        var containers: Set<String> = []
        var expires: Date?
        var rest = words[4...]
        while let word = rest.popFirst() {
            switch word {
            case "container":
                guard let name = rest.popFirst() else { return nil }
                containers.insert(String(name))
            case "until":
                guard let date = UsersFile.day(rest.popFirst()) else { return nil }
                expires = date
            default: return nil
            }
        }
        return try? Key(
            keyID: String(words[2]), publicKey: String(words[3]), userRecordName: String(words[0]),
            containers: containers.isEmpty ? nil : containers, expires: expires)
    }
}
