import ArgumentParser

/// `backstitch admin`: what administrators do with a storage, or ask a running server for.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Look after accounts, tokens, keys and containers.",
        subcommands: [
            AdminUsersCommand.self,
            AdminTokensCommand.self,
            AdminKeysCommand.self,
            AdminContainersCommand.self,
        ])
}
