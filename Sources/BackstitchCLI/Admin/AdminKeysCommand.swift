import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin keys`: server-to-server keys of programs.
struct AdminKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Server-to-server keys of programs that sign their requests.",
        subcommands: [Add.self, List.self, Revoke.self])

    static func text(_ key: ServerKeyLine) -> String {
        AdminDates.line([
            key.id, key.user, key.containers.isEmpty ? "all containers" : key.containers.joined(separator: " "),
            AdminDates.text(key.expires), key.label,
        ])
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add the public key of a program, and print the ID that the program signs with.",
            discussion: """
                `openssl ecparam -name prime256v1 -genkey -noout -out key.pem` makes the private key, which the \
                program keeps; `openssl ec -in key.pem -pubout -out public.pem` writes the public key that this \
                command needs.
                """)

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The record name or the alias of the account that is the author of the program's records.")
        var user: String

        @Option(help: "The public key, as PEM.", completion: .file())
        var publicKey: String

        @Option(
            name: .customLong("container"),
            help: "A container that the key reaches; repeat it for several. Without it the key reaches all.")
        var containers: [String] = []

        @Option(help: "When the key ends: 2027-01-31 or 2027-01-31T12:00:00Z.")
        var until: String?

        @Option(help: "A description of the key, for people.")
        var label: String?

        func run() async throws {
            let text: String
            do { text = try String(contentsOf: URL(filePath: publicKey), encoding: .utf8) } catch {
                throw ValidationError("the key \(publicKey) cannot be read: \(error)")
            }
            var request = AddServerKey(user: user, publicKey: text)
            request.containers = containers.isEmpty ? nil : containers
            request.expires = try AdminDates.date(until, "--until")
            request.label = label
            let key = try await door.withAdministrator { [request] in try await $0.ask(request) }
            try output.write(key, AdminKeysCommand.text(key))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List keys by ID.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        func run() async throws {
            try await door.withAdministrator { administrator in
                try await output.write(
                    pages: { try await administrator.ask(ListServerKeys(after: $0)) }, AdminKeysCommand.text)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take a key back.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The ID of the key.")
        var id: String

        func run() async throws {
            let gone = try await door.withAdministrator { try await $0.ask(RevokeServerKey(id: id)) }
            try output.write(gone, "revoked \(AdminKeysCommand.text(gone))")
        }
    }
}
