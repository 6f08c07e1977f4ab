import ArgumentParser
import Foundation

/// The command `backstitch`, with its subcommands `serve`, `token` and `admin`.
@main
struct BackstitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backstitch",
        abstract: "The zone server, which keeps the objects of devices in sync.",
        subcommands: [
            ServeCommand.self,
            TokenCommand.self,
            AdminCommand.self,
        ])

    /// Runs the command of the process's arguments. `serve` also takes options from the environment and a file.
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == ServeCommand.configuration.commandName, !arguments.contains("--help"),
            !arguments.contains("-h")
        {
            do {
                let layers = try SettingLayers(environment: ProcessInfo.processInfo.environment)
                arguments = [arguments[0]] + (try layers.expand(Array(arguments.dropFirst())))
            } catch { ServeCommand.exit(withError: error) }
        }
        await main(arguments)
    }
}
