import ArgumentParser

/// `backstitch admin`: the administration of a storage, directly or through a running server.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Look after accounts, and after a storage: count, check, clear away, back up, restore, move.",
        discussion: """
            Commands about accounts open the storage that --storage or --database names, or ask the running server of \
            --server. The others open the storage. Documentation/Operating.md says which may run beside a server.
            """,
        subcommands: [
            AdminUsersCommand.self,
            AdminTokensCommand.self,
            AdminKeysCommand.self,
            AdminContainersCommand.self,
            StatusCommand.self,
            VerifyCommand.self,
            PurgeCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            CopyCommand.self,
        ])
}
