import ArgumentParser
import BackstitchServer
import Foundation

/// The file of users. Empty lines are skipped, and so is the rest of a line after `#`. It has no secrets, only digests
/// of tokens, and public keys.
///
/// - A line for a token: `name sha256`, followed by the words of ``UserLine``.
/// - A line for a server-to-server key: `name server-key id key`, followed by the words of ``KeyLine``.
struct UsersFile {
    var users: [ZoneServerConfiguration.User] = []
    var serverKeys: [ZoneServerConfiguration.ServerKey] = []

    init() {}

    /// Reads the users and keys of a file.
    ///
    /// - Throws: `ValidationError` with the number of a line that describes neither a user nor a key.
    init(_ file: URL) throws {
        let text: String
        do { text = try String(contentsOf: file, encoding: .utf8) } catch {
            throw ValidationError("the users' file \(file.path) cannot be read: \(error)")
        }
        // Any newline ends a line. Windows' two characters are one `Character` in Swift, which is not "\n". With "\n"
        // alone, the `#` of the first line would comment out the whole file.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            if let user = UserLine.read(words) {
                users.append(user)
            } else if let key = KeyLine.read(words) {
                serverKeys.append(key)
            } else {
                throw ValidationError(
                    "line \(number + 1) of \(file.path) is no \"name sha256 [read-only] [until 2027-01-31] "
                        + "[email ada@example.org] [given-name Ada] [family-name Lovelace] [discoverable]\" and no "
                        + "\"name server-key id key [container iCloud.org.example.app] [until 2027-01-31]\"; "
                        + "`backstitch token` writes such lines")
            }
        }
    }

    /// The format of a day in the file.
    static let day = Date.ISO8601FormatStyle().year().month().day()

    static func day(_ text: Substring?) -> Date? {
        text.flatMap { try? Date(String($0), strategy: day) }
    }
}
