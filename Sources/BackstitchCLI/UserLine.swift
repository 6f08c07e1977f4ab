import BackstitchServer
import CloudWire
import Foundation

/// A user's token as a line of the users' file.
///
/// After name and digest, in any order, there may be: `read-only`; `until` and a day; `discoverable`; and `email`,
/// `name-prefix`, `given-name`, `middle-name`, `family-name`, `name-suffix`, `nickname` or `phonetic`, each with a
/// value. Spaces in a value are written `%20`.
enum UserLine {
    private typealias User = ZoneServerConfiguration.User

    /// The words with a value, and the properties for their values.
    private static let values: [(word: String, path: any WritableKeyPath<User, String?> & Sendable)] = [
        ("email", \.emailAddress), ("name-prefix", \.nameComponents.namePrefix),
        ("given-name", \.nameComponents.givenName), ("middle-name", \.nameComponents.middleName),
        ("family-name", \.nameComponents.familyName), ("name-suffix", \.nameComponents.nameSuffix),
        ("nickname", \.nameComponents.nickname), ("phonetic", \.nameComponents.phoneticRepresentation),
    ]

    /// Printable ASCII, except for characters with a meaning in the file.
    private static let plain = CharacterSet(charactersIn: "!"..."~").subtracting(CharacterSet(charactersIn: "#%"))

    static func text(_ user: ZoneServerConfiguration.User) -> String {
        var words = [user.userRecordName, user.token.sha256]
        if user.isReadOnly { words.append("read-only") }
        if let end = user.expires { words += ["until", end.formatted(UsersFile.day)] }
        for (word, path) in values {
            guard let value = user[keyPath: path]?.addingPercentEncoding(withAllowedCharacters: plain) else { continue }
            words += [word, value]
        }
        if user.isDiscoverable { words.append("discoverable") }
        return words.joined(separator: " ")
    }

    /// Reads a user from the words of a line.
    ///
    /// - Returns: The user; nil for the words of another line.
    static func read(_ words: [Substring]) -> ZoneServerConfiguration.User? {
        var rest = words[...]
        guard let name = rest.popFirst(), let token = rest.popFirst().flatMap({ TokenDigest(sha256: String($0)) })
        else { return nil }
        var user = ZoneServerConfiguration.User(userRecordName: String(name), token: token)
        while let word = rest.popFirst() {
            switch word {
            case "read-only": user.isReadOnly = true
            case "discoverable": user.isDiscoverable = true
            case "until":
                guard let date = UsersFile.day(rest.popFirst()) else { return nil }
                user.expires = date
            default:
                guard let path = values.first(where: { $0.word == word })?.path,
                    let value = rest.popFirst()?.removingPercentEncoding
                else { return nil }
                user[keyPath: path] = value
            }
        }
        return user
    }
}
