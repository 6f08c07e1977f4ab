import ArgumentParser
import Foundation

/// An option of `serve`, which may also stand in the environment and in a file.
struct ServeSetting: Hashable {
    /// How values are given.
    enum Kind {
        /// One value.
        case option
        /// Any number of values: an array in a file, words in the environment.
        case list
        /// True or false.
        case flag
    }

    /// The option's name without its dashes, and the key in a file: `keep-deletions`.
    let name: String
    let kind: Kind

    /// The variable of the environment: `BACKSTITCH_KEEP_DELETIONS`.
    var variable: String { "BACKSTITCH_" + key.uppercased().replacing("-", with: "_") }

    /// The name in the environment's order of words. `BACKSTITCH_USERS` has tokens themselves, and had them before
    /// options could stand in the environment.
    var key: String { name == "users" ? "users-file" : name }

    /// All options of `serve`, as its own description tells them, but for those about the command line itself.
    ///
    /// - Throws: `DecodingError` when the library of the command line describes options in another way than it did.
    static func all() throws -> [ServeSetting] {
        let description = try JSONDecoder().decode(ToolDescription.self, from: Data(ServeCommand._dumpHelp().utf8))
        return description.command.arguments.compactMap { argument in
            guard let name = argument.names?.first(where: { $0.kind == "long" })?.name, !commandLineOnly.contains(name)
            else { return nil }
            let kind: Kind = argument.kind == "flag" ? .flag : argument.isRepeating ? .list : .option
            return ServeSetting(name: name, kind: kind)
        }
    }

    /// Options that mean something on the command line alone. A storage is restored for one start, not for each.
    static let commandLineOnly: Set<String> = ["config", "help", "version", "restored"]

    /// The part of the library's description of a command that is of use here.
    private struct ToolDescription: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]
        }

        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let kind: String
            let isRepeating: Bool
            let names: [Name]?
        }

        let command: Command
    }
}
