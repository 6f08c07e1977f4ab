import ArgumentParser
import BackstitchServer
import Foundation

/// The file of users: a line a token, `name sha256 [read-only] [until 2027-01-31]`. It holds digests only. Empty lines,
/// and what stands behind `#`, are skipped.
enum UsersFile {
    /// - Throws: `ValidationError` with the number of a line that is none of a user.
    static func read(_ file: URL) throws -> [ZoneServerConfiguration.User] {
        let text: String
        do { text = try String(contentsOf: file, encoding: .utf8) } catch {
            throw ValidationError("the users' file \(file.path) cannot be read: \(error)")
        }
        return try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            number, line in
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard !words.isEmpty else { return nil }
            guard let user = user(words) else {
                throw ValidationError(
                    "line \(number + 1) of \(file.path) is no \"name sha256 [read-only] [until 2027-01-31]\"; "
                        + "`backstitch token` writes such lines")
            }
            return user
        }
    }

    static func line(_ user: ZoneServerConfiguration.User) -> String {
        "\(user.userRecordName) \(user.token.sha256)" + (user.isReadOnly ? " read-only" : "")
            + (user.expires.map { " until \($0.formatted(day))" } ?? "")
    }

    private static let day = Date.ISO8601FormatStyle().year().month().day()

    private static func user(_ words: [Substring]) -> ZoneServerConfiguration.User? {
        var rest = words[...]
        guard let name = rest.popFirst(), let token = rest.popFirst().flatMap({ TokenDigest(sha256: String($0)) })
        else {
            return nil
        }
        var user = ZoneServerConfiguration.User(userRecordName: String(name), token: token)
        while let word = rest.popFirst() {
            switch word {
            case "read-only": user.isReadOnly = true
            case "until":
                guard let text = rest.popFirst(), let date = try? Date(String(text), strategy: day) else { return nil }
                user.expires = date
            default: return nil
            }
        }
        return user
    }
}
