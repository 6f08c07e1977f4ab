import ArgumentParser
import BackstitchServer

/// `backstitch admin tokens`: tokens of users, programs and administrators.
struct AdminTokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Tokens of users, of programs (--api), and of administrators.",
        subcommands: [Add.self, List.self, Revoke.self])

    /// The kind of token for the command; a user's without a flag.
    struct Kind: ParsableArguments {
        @Flag(help: "A token of a program, shared by all its users.")
        var api = false

        @Flag(help: "A token for the option --server of `backstitch admin`.")
        var administrator = false

        func validate() throws {
            if api, administrator { throw ValidationError("--api and --administrator are two kinds; give one of them") }
        }

        var kind: TokenKind { api ? .api : administrator ? .administrator : .user }
    }

    static func text(_ token: TokenLine) -> String {
        AdminDates.line([
            token.id, token.user, token.container, token.isReadOnly ? "read-only" : nil,
            AdminDates.text(token.expires), token.lifetime.map { "renewed for \($0 / 86_400) days" }, token.label,
        ])
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token, and print it. It is shown once only.",
            discussion: """
                The server renews a user's token with --days while the user's device calls. It ends when the device \
                has not called for that many days. A token with --until ends at that time. A token with neither ends \
                when it is revoked.
                """)

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput
        @OptionGroup var kind: Kind

        @Argument(help: "The record name or the alias of the token's user.")
        var user: String?

        @Option(help: "The only container that an API token is for.")
        var container: String?

        @Option(help: "Days that a user's token is valid after it is made or renewed.")
        var days: Int64?

        @Option(help: "When the token ends: 2027-01-31 or 2027-01-31T12:00:00Z.")
        var until: String?

        @Flag(help: "The token only reads.")
        var readOnly = false

        @Option(help: "A description of the token, for people.")
        var label: String?

        func validate() throws {
            guard (kind.kind == .user) == (user != nil) else {
                throw ValidationError("name the token's user; only tokens with --api or --administrator have no user")
            }
            guard days.map({ (1...3_650).contains($0) }) ?? true else {
                throw ValidationError("--days takes 1 to 3650")
            }
        }

        func run() async throws {
            var request = AddToken(kind.kind, user: user)
            request.container = container
            request.lifetime = days.map { $0 * 86_400 }
            request.expires = try AdminDates.date(until, "--until")
            request.isReadOnly = readOnly ? true : nil
            request.label = label
            let made = try await door.withAdministrator { [request] in try await $0.ask(request) }
            try output.write(made, "token: \(made.secret)\nid:    \(AdminTokensCommand.text(made.token))")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List tokens by id, without their secrets.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput
        @OptionGroup var kind: Kind

        @Argument(help: "The record name or the alias of a user; without it all users' tokens.")
        var user: String?

        func validate() throws {
            guard kind.kind == .user || user == nil else {
                throw ValidationError("tokens of programs and administrators have no user; leave the user out")
            }
        }

        func run() async throws {
            try await door.withAdministrator { administrator in
                try await output.write(
                    pages: { try await administrator.ask(ListTokens(kind.kind, user: user, after: $0)) },
                    AdminTokensCommand.text)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a token, and the tokens that the server has made to replace it.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput
        @OptionGroup var kind: Kind

        @Argument(help: "The id of the token.")
        var id: String

        func run() async throws {
            let gone = try await door.withAdministrator { try await $0.ask(RevokeToken(kind.kind, id: id)) }
            try output.write(gone, "revoked \(AdminTokensCommand.text(gone))")
        }
    }
}
