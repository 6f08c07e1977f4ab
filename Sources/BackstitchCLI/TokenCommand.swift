import ArgumentParser
import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation

/// `backstitch token`: a new secret for a user.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token for a user, and the line for the file of `serve --users`.",
        discussion: """
            The token is shown once: give it to the user's device. The line has only its digest; who removes it from the file, and \
            sends SIGHUP to the server, takes the token back.
            """)

    @Argument(help: "The user's name.")
    var name: String

    @Flag(help: "The token only reads.")
    var readOnly = false

    @Option(help: "Days for which it is good; without it until its line is removed.")
    var days: Int?

    func validate() throws {
        guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || $0 == "#" }) else {
            throw ValidationError("a user's name has no spaces and no #")
        }
        guard days.map({ (1...36_500).contains($0) }) ?? true else {
            throw ValidationError("--days takes 1 to 36500")
        }
    }

    func run() {
        let token = SystemServerRandom().bytes(24).base64URL
        let expires = days.map { Date(milliseconds: SystemClock().milliseconds() + Int64($0) * 86_400_000) }
        let user = ZoneServerConfiguration.User(
            userRecordName: name, webAuthToken: token, isReadOnly: readOnly, expires: expires)
        Terminal.write("token: \(token)\nline:  \(UsersFile.line(user))\n")
    }
}
