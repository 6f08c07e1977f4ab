import ArgumentParser
import Backstitch
import Foundation
import Logging

/// The program `Demo`: two devices and a server on real data, from import to conflicts.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Demo",
        abstract: "Import real data on one device, sync it to another, edit both offline, and see them converge.",
        discussion: """
            Without --input it imports this machine's package database (/var/lib/dpkg/status): packages, maintainers, sections \
            and their dependencies, each package's copyright file as an asset. It exits with an error unless both devices end \
            up equal, value for value.
            """)

    @Option(help: "A CSV file with a header, or a JSON file with a list of objects, to import instead.")
    var input: String?

    @Option(help: "A folder to keep everything in; a later run goes on with it. By default a temporary one.")
    var directory: String?

    @Option(help: "A server to use instead of starting one.")
    var server: String?

    func run() async throws {
        // The demonstration prints its own report; the log would repeat it.
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
        do {
            try await Demo(dataset: dataset(), folder: folder(), server: serverURL()).run(keepsFolder: directory != nil)
        } catch let error as BackstitchError {
            FileHandle.standardError.write(Data("demo: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    private func dataset() throws -> any Dataset {
        if let input { return try TableFile(contentsOf: URL(filePath: input)) }
        guard FileManager.default.fileExists(atPath: PackageDatabase.statusFile.path) else {
            throw ValidationError("this machine has no \(PackageDatabase.statusFile.path); give a file with --input")
        }
        return try PackageDatabase()
    }

    private func serverURL() throws -> URL? {
        guard let server else { return nil }
        guard let url = URL(string: server), url.host != nil else {
            throw ValidationError("--server takes a URL, http://127.0.0.1:8080 for instance, not \"\(server)\"")
        }
        return url
    }

    private func folder() -> URL {
        directory.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(
                path: "backstitch-demo-\(ProcessInfo.processInfo.processIdentifier)")
    }
}
