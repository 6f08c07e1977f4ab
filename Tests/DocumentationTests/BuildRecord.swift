import BackstitchTestKit
import Foundation

/// The commands of SwiftPM that compile and link the program `DocumentationProbe`. They are read from the list in the
/// build folder.
struct BuildRecord {
    /// The Swift compiler.
    let compiler: String
    /// Where modules and plugins of macros are.
    private(set) var compiling: [String] = []
    /// Libraries, and the object files of the modules.
    private(set) var linking: [String] = []

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the record of the build that this test is of.
    init() throws {
        let folder = TestProgram.location(of: "DocumentationProbe").deletingLastPathComponent()
            .resolvingSymlinksInPath()
        let list = folder.appending(path: "../../\(folder.lastPathComponent).yaml").standardized
        guard let text = try? String(contentsOf: list, encoding: .utf8) else {
            throw Missing(
                description: "there is no \(list.path(percentEncoded: false)): build the tests by `swift build`, "
                    + "with its native build system")
        }
        let module = try Self.arguments(of: "module", in: text), program = try Self.arguments(of: "exe", in: text)
        compiler = module[0]
        compiling = Self.flags(module)
        linking = try Self.linkFlags(program)
    }

    /// The command that makes a module, or a program, of the probe.
    private static func arguments(of kind: String, in text: String) throws -> [String] {
        let lines = text.components(separatedBy: "\n")
        let begin = lines.firstIndex {
            $0.hasPrefix("  \"C.DocumentationProbe-") && $0.hasSuffix(".\(kind)\":") && !$0.contains("-tool.")
        }
        let prefix = "    args: "
        guard let begin, let line = lines[begin...].first(where: { $0.hasPrefix(prefix) }) else {
            throw Missing(description: "the build has no command for the \(kind) of DocumentationProbe")
        }
        return try JSONDecoder().decode([String].self, from: Data(line.dropFirst(prefix.count).utf8))
    }

    /// The flags for a stranger's code: without the settings and the name of this package.
    private static func flags(_ arguments: [String]) -> [String] {
        let pairs: Set = ["-I", "-F", "-Xcc", "-target", "-sdk", "-module-cache-path"]
        var flags: [String] = []
        for (index, argument) in arguments.enumerated().dropLast() {
            let next = arguments[index + 1]
            if pairs.contains(argument), arguments[index - 1] != "-Xcc" {
                flags += [argument, next]
            } else if argument.hasPrefix("-I") && argument != "-I" || argument.hasPrefix("-sanitize") {
                flags.append(argument)
            } else if argument == "-Xfrontend", next == "-load-plugin-executable" {
                flags += arguments[index..<min(index + 4, arguments.count)]
            }
        }
        return flags
    }

    /// The libraries, and all objects but the probe's own.
    private static func linkFlags(_ arguments: [String]) throws -> [String] {
        var flags: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument.hasPrefix("@") {
                let list = try String(contentsOf: URL(filePath: String(argument.dropFirst())), encoding: .utf8)
                flags += list.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\""]) }
                    .filter { !$0.contains("/DocumentationProbe.build/") }
            } else if argument.hasPrefix("-L") || argument.hasPrefix("-l") {
                flags.append(argument)
                if argument == "-L" { flags.append(arguments[index + 1]) }
            }
        }
        return flags
    }
}
