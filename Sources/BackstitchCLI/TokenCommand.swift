import ArgumentParser
import Backstitch
import BackstitchServer
import BackstitchSupport
import CloudWire
import Foundation

/// `backstitch token`: makes a new secret for a user, or a line for a server-to-server key.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token for a user, and the line for the file of `serve --users`.",
        discussion: """
            The token is shown once: give it to the user's device. The line has only its digest. To revoke the token, \
            remove the line from the file and send SIGHUP to the server.

            With --server-key it makes no token, but the line for a program that signs its requests to the public \
            database, and the ID that the program signs with. `openssl ecparam -name prime256v1 -genkey -noout -out \
            key.pem` makes the private key, which the program keeps; `openssl ec -in key.pem -pubout -out public.pem` \
            writes the public key that this command needs.
            """)

    @Argument(help: "The user's name; for a key, the author of its records.")
    var name: String

    @Flag(help: "The token only reads.")
    var readOnly = false

    @Option(help: "Days that it is valid; without it, until its line is removed.")
    var days: Int?

    @Option(help: "The e-mail address that others may find the user by.")
    var email: String?

    @Option(help: "The user's given name.")
    var givenName: String?

    @Option(help: "The user's family name.")
    var familyName: String?

    @Flag(help: "Other users may find the user by address and name.")
    var discoverable = false

    @Option(help: "The public key of a program, as PEM.", completion: .file())
    var serverKey: String?

    @Option(
        name: .customLong("container"),
        help: "A container that the key reaches; repeat it for several. Without it the key reaches all that are served."
    )
    var containers: [String] = []

    func validate() throws {
        guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || $0 == "#" }) else {
            throw ValidationError("a user's name has no spaces and no #")
        }
        guard days.map({ (1...36_500).contains($0) }) ?? true else {
            throw ValidationError("--days takes 1 to 36500")
        }
        let isUsers = readOnly || discoverable || email != nil || givenName != nil || familyName != nil
        guard serverKey == nil || !isUsers else {
            throw ValidationError(
                "--server-key takes --days and --container; a key always writes, and has no name and no address")
        }
        guard serverKey != nil || containers.isEmpty else {
            throw ValidationError("--container is for --server-key; a user's token is valid for all containers")
        }
    }

    func run() throws {
        let expires = days.map { Date(milliseconds: SystemClock().milliseconds() + Int64($0) * 86_400_000) }
        if let serverKey { return try writeKey(serverKey, expires) }
        let token = SystemServerRandom().bytes(24).base64URL
        var user = ZoneServerConfiguration.User(
            userRecordName: name, webAuthToken: token, isReadOnly: readOnly, expires: expires)
        user.emailAddress = email
        user.nameComponents = UserNameComponents(givenName: givenName, familyName: familyName)
        user.isDiscoverable = discoverable
        Terminal.write("token: \(token)\nline:  \(UserLine.text(user))\n")
    }

    /// Writes the line for a program's public key, and the key's identifier.
    private func writeKey(_ file: String, _ expires: Date?) throws {
        let text: String
        do { text = try String(contentsOf: URL(filePath: file), encoding: .utf8) } catch {
            throw ValidationError("the key \(file) cannot be read: \(error)")
        }
        let key: ZoneServerConfiguration.ServerKey
        do throws(ZoneServerError) {
            key = try .init(
                publicKey: text, userRecordName: name, containers: containers.isEmpty ? nil : Set(containers),
                expires: expires)
        } catch {
            throw ValidationError("\(file): \(error.message)")
        }
        Terminal.write("key ID: \(key.keyID)\nline:   \(KeyLine.text(key))\n")
    }
}
