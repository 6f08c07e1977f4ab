import ArgumentParser

/// `backstitch admin`: what operators do with a storage.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Look after a storage: count, check, clear away, back up, restore, move.",
        discussion: """
            Each opens the storage that --storage or --database names. Documentation/Operating.md says which may run \
            beside a server.
            """,
        subcommands: [
            StatusCommand.self,
            VerifyCommand.self,
            PurgeCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            CopyCommand.self,
        ])
}
