import ArgumentParser
import BackstitchServer

/// `backstitch admin users`: the accounts of the storage.
struct AdminUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Accounts of users.",
        subcommands: [Add.self, List.self, Change.self, Remove.self])

    /// The e-mail address and the name of a user.
    struct Person: ParsableArguments {
        @Option(help: "The e-mail address that others may find the user by.")
        var email: String?

        @Option(help: "The user's given name.")
        var givenName: String?

        @Option(help: "The user's family name.")
        var familyName: String?
    }

    static func text(_ user: AccountLine) -> String {
        let name = [user.givenName, user.familyName].compactMap(\.self).joined(separator: " ")
        return AdminDates.line([
            user.recordName, user.alias, user.emailAddress, name, user.isDiscoverable ? "discoverable" : nil,
        ])
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make an account, and print its record name.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "A name for people, such as ada; it is not used in records.")
        var alias: String?

        @Option(help: "The record name of a user who already has records, such as a user in the file of --users.")
        var recordName: String?

        @OptionGroup var person: Person

        @Flag(help: "Other users may find the user by address and name.")
        var discoverable = false

        func run() async throws {
            var request = AddUser(alias: alias, recordName: recordName)
            request.emailAddress = person.email
            request.givenName = person.givenName
            request.familyName = person.familyName
            request.isDiscoverable = discoverable
            let user = try await door.withAdministrator { [request] in try await $0.ask(request) }
            try output.write(user, AdminUsersCommand.text(user))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List accounts by record name.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        func run() async throws {
            try await door.withAdministrator { administrator in
                try await output.write(
                    pages: { try await administrator.ask(ListUsers(after: $0)) }, AdminUsersCommand.text)
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the values of an account; an empty text removes a value.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The record name or the alias.")
        var user: String

        @Option(help: "Another alias.")
        var alias: String?

        @OptionGroup var person: Person

        @Flag(inversion: .prefixedNo, help: "Whether other users may find the user.")
        var discoverable: Bool?

        func run() async throws {
            var request = SetUser(user: user)
            request.alias = alias
            request.emailAddress = person.email
            request.givenName = person.givenName
            request.familyName = person.familyName
            request.isDiscoverable = discoverable
            let user = try await door.withAdministrator { [request] in try await $0.ask(request) }
            try output.write(user, AdminUsersCommand.text(user))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an account with its tokens and keys. The user's records stay.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The record name or the alias.")
        var user: String

        func run() async throws {
            let gone = try await door.withAdministrator { try await $0.ask(RemoveUser(user: user)) }
            try output.write(gone, "removed \(AdminUsersCommand.text(gone))")
        }
    }
}
