import ArgumentParser
import Foundation

/// An option of `serve`. It can also be given in the environment or in a file.
struct ServeSetting: Hashable {
    /// The form of an option's values.
    enum Kind {
        /// A single value, as text or a number.
        case option
        /// Any number of values: an array in a file, words in the environment.
        case list
        /// A flag, true or false.
        case flag
    }

    /// The option's name without its dashes, and its key in a file: `keep-deletions`.
    let name: String
    let kind: Kind

    /// The variable in the environment: `BACKSTITCH_KEEP_DELETIONS`.
    var variable: String { "BACKSTITCH_" + key.uppercased().replacing("-", with: "_") }

    /// The last part of the variable's name. `BACKSTITCH_USERS` is already used for tokens, since before options could
    /// be in the environment. So the option `users` has another name there.
    var key: String { name == "users" ? "users-file" : name }

    /// All options of `serve`, from its own description, except those about the command line itself.
    ///
    /// - Throws: `DecodingError` when the library of the command line has changed the form of its descriptions.
    static func all() throws -> [ServeSetting] {
        let description = try JSONDecoder().decode(ToolDescription.self, from: Data(ServeCommand._dumpHelp().utf8))
        return description.command.arguments.compactMap { argument in
            guard let name = argument.names?.first(where: { $0.kind == "long" })?.name, !commandLineOnly.contains(name)
            else { return nil }
            let kind: Kind = argument.kind == "flag" ? .flag : argument.isRepeating ? .list : .option
            return ServeSetting(name: name, kind: kind)
        }
    }

    /// Options that are valid only on the command line. A storage is restored for one start, not for each.
    static let commandLineOnly: Set<String> = ["config", "help", "version", "restored"]

    /// The needed parts of the library's description of a command.
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
