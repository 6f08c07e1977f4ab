import ArgumentParser

/// The command `backstitch`.
@main
struct BackstitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backstitch",
        abstract: "The zone server, with which devices keep their objects in step.",
        subcommands: [
            ServeCommand.self,
            TokenCommand.self,
            AdminCommand.self,
        ])
}
