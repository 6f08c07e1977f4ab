import ArgumentParser

/// The command `backstitch`.
@main
struct BackstitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backstitch",
        abstract: "Objects in a store of your choice, in step with a server: the demonstration and the zone server.",
        subcommands: [DemoCommand.self, ServeCommand.self, TokenCommand.self])
}
