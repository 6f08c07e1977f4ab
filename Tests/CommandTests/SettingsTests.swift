import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("options of `serve` in a file, in the environment and as arguments")
struct SettingsTests {
    private func write(_ text: String, in folder: TemporaryFolder) throws -> String {
        let file = folder.url.appending(path: "settings.json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    /// Starts a server with all settings from a file, and returns the containers that it serves.
    private func served(
        _ file: String, _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> Set<String> {
        let process = try TestProcess("backstitch", ["serve", "--config", file] + arguments, environment: environment)
        defer { process.stop() }
        let line = try #require(try await process.nextLine())
        let server = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
        var served: Set<String> = []
        for name in ["file", "second", "environment", "argument"] {
            let url = "\(server)/database/1/iCloud.\(name)/development/private/zones/list"
            let (answer, _) = try await URLSession.shared.data(from: try #require(URL(string: url)))
            if String(decoding: answer, as: UTF8.self).contains("_defaultZone") { served.insert(name) }
        }
        return served
    }

    @Test("arguments go before the environment, and that before the file")
    func precedence() async throws {
        let folder = try TemporaryFolder()
        let file = try write(
            """
            {"container": ["iCloud.file", "iCloud.second"], "port": 0, "until-input-ends": true, "log-level": "critical",
             "storage": "\(folder.url.path)/zones", "keep-deletions": 30, "peer-interval": 2.5, "access-log": false}
            """, in: folder)
        #expect(try await served(file) == ["file", "second"])
        #expect(FileManager.default.fileExists(atPath: "\(folder.url.path)/zones/zones.sqlite"))
        let variable = ["BACKSTITCH_CONTAINER": "iCloud.environment  iCloud.second"]
        #expect(try await served(file, [], variable) == ["environment", "second"])
        #expect(try await served(file, ["--container", "iCloud.argument"], variable) == ["argument"])
    }

    @Test(
        "a mistake is told with its place, and the option that was meant",
        arguments: [
            (#"{"keep-deletion": 5}"#, [:], [], "did you mean \"keep-deletions\"?"),
            (#"{"colour": 5}"#, [:], [], "\"colour\" in"),
            (#"{"restored": true}"#, [:], [], "only for the command line"),
            (#"{"keep-deletions": [5]}"#, [:], [], "takes a text or a number"),
            (#"{"container": "iCloud.a"}"#, [:], [], "takes an array of texts"),
            (#"{"access-log": "yes"}"#, [:], [], "takes true or false"),
            (#"{"log-level": "loud"}"#, [:], [], "--log-level"),
            ("[]", [:], [], "no JSON object"), ("{", [:], [], "no JSON object"),
            ("{}", ["BACKSTITCH_PROT": "80"], [], "did you mean BACKSTITCH_PORT?"),
            ("{}", ["BACKSTITCH_ACCESS_LOG": "perhaps"], [], "BACKSTITCH_ACCESS_LOG takes true or false"),
            ("{}", ["BACKSTITCH_KEEP_DELETIONS": "many"], [], "--keep-deletions"),
            ("{}", [:], ["--database", "postgres://zones:secret@db/zones"], "PGPASSWORD"),
            ("{}", [:], ["--read-replica=postgres://zones:secret@db/zones"], "PGPASSWORD"),
            ("{}", [:], ["--read-replica", "postgres://zones@db/zones"], "read replicas"),
            ("{}", [:], ["--peer-interval", "0"], "--peer-interval takes"),
        ] as [(String, [String: String], [String], String)])
    func mistakes(
        _ text: String, _ environment: [String: String], _ arguments: [String], _ hint: String
    ) async throws {
        let folder = try TemporaryFolder()
        let file = try write(text, in: folder)
        let command = try await TestProcess(
            "backstitch", ["serve", "--config", file, "--any-container", "--port=0"] + arguments,
            environment: environment, errors: .withOutput
        ).ended()
        #expect(command.status != 0)
        #expect(command.output.contains(hint), "\(command.output)")
        #expect(!command.output.contains("secret"), "\(command.output)")
    }

    @Test("a file that is not there is told of, also when the environment names it")
    func missing() async throws {
        let command = try await TestProcess(
            "backstitch", ["serve", "--any-container"], environment: ["BACKSTITCH_CONFIG": "/nowhere/settings.json"],
            errors: .withOutput
        ).ended()
        #expect(command.status != 0)
        #expect(command.output.contains("/nowhere/settings.json"), "\(command.output)")
    }

    /// The options of `serve` as the command describes itself.
    private struct Description: Decodable {
        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            struct Name: Decodable { let kind: String, name: String }
            let names: [Name]?
        }

        let command: Command
    }

    @Test("each option is in the table of Documentation/Operating.md, with its variable, and nothing else is")
    func table() async throws {
        let command = try await TestProcess("backstitch", ["--experimental-dump-help"], errors: .discarded).ended()
        let description = try JSONDecoder().decode(Description.self, from: Data(command.output.utf8))
        let serve = try #require(description.command.subcommands?.first { $0.commandName == "serve" })
        let options = (serve.arguments ?? []).compactMap { $0.names?.first { $0.kind == "long" }?.name }
        let file = URL(filePath: #filePath).appending(path: "../../../Documentation/Operating.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let rows = text.matches(of: /(?m)^\| `--([a-z0-9-]+)`[^|]*\| ([^|]+) \| ([^|]+) \|/).map { $0.output }
        var listed: [String: (key: String, variable: String)] = [:]
        for row in rows { listed[String(row.1)] = (String(row.2), String(row.3)) }
        #expect(Set(listed.keys) == Set(options).subtracting(["help", "version"]))
        for name in listed.keys {
            let isAlone = name == "config" || name == "restored"
            let word = (name == "users" ? "users-file" : name).uppercased().replacing("-", with: "_")
            #expect(listed[name]?.key == (isAlone ? "-" : "`\(name)`"), "\(name)")
            #expect(listed[name]?.variable == (name == "restored" ? "-" : "`BACKSTITCH_\(word)`"), "\(name)")
        }
    }
}
