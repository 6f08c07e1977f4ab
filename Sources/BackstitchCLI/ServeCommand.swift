import ArgumentParser
import BackstitchServer
import Foundation
import Logging
import UnixSignals

/// `backstitch serve`: the zone server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the zone server, which speaks CloudKit Web Services.",
        discussion: """
            Without tokens it is a server for development: it listens on loopback only, and everybody is one user. With them, \
            a request needs an API token and, but for public reads, a user's web token. Tokens are best given in the environment: \
            BACKSTITCH_API_TOKENS="token …" and BACKSTITCH_USERS="name:token …", separated by spaces. \
            BACKSTITCH_READERS="name:token …" has further tokens of users, which only read.
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 8080

    @Option(help: "The folder to keep records and assets in; without it they are gone when the server ends.")
    var storage: String?

    @Option(help: "The address under which clients reach the server, where that is another one.")
    var publicURL: String?

    @Option(
        name: .customLong("container"),
        help: "A container to serve, such as iCloud.org.example.app; repeat it for several. Default: all.")
    var containers: [String] = []

    @Option(help: "Days for which deletions are told; a client that was away for longer reads everything again.")
    var keepDeletions = 90

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = LogLevel.info

    @Flag(help: "End when the standard input ends: with the process that started this one.")
    var untilInputEnds = false

    func run() async throws {
        let server: ZoneServer
        do {
            server = try ZoneServer(configuration: configuration())
            let url = try await server.start()
            Terminal.write("backstitch serves at \(url.absoluteString)\n")
        } catch let error as ZoneServerError {
            FileHandle.standardError.write(Data("backstitch: \(error)\n".utf8))
            throw ExitCode.failure
        }
        await waitForTheEnd()
        try await server.stop()
    }

    private func configuration() throws -> ZoneServerConfiguration {
        var configuration = ZoneServerConfiguration(
            host: host, port: port, storage: storage.map { .directory(URL(filePath: $0)) } ?? .memory)
        let environment = ProcessInfo.processInfo.environment
        configuration.apiTokens = words(environment["BACKSTITCH_API_TOKENS"]).map { TokenDigest(of: $0) }
        configuration.users = try users(environment, "BACKSTITCH_USERS", areReadOnly: false)
        configuration.users += try users(environment, "BACKSTITCH_READERS", areReadOnly: true)
        guard (1...36_500).contains(keepDeletions) else {
            throw ValidationError("--keep-deletions takes 1 to 36500 days, not \(keepDeletions)")
        }
        configuration.tombstoneRetention = keepDeletions * 86_400
        configuration.containers = containers.isEmpty ? nil : Set(containers)
        configuration.publicURL = try publicURL.map { text in
            guard let url = URL(string: text), url.host != nil else {
                throw ValidationError("--public-url takes an absolute URL, not \"\(text)\"")
            }
            return url
        }
        var logger = Logger(label: "backstitch.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel.level
        configuration.logger = logger
        return configuration
    }

    private func users(
        _ environment: [String: String], _ variable: String, areReadOnly: Bool
    ) throws -> [ZoneServerConfiguration.User] {
        try words(environment[variable]).map { word in
            let parts = word.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError("\(variable) takes name:token pairs, separated by spaces")
            }
            return .init(
                userRecordName: String(parts[0]), webAuthToken: String(parts[1]), isReadOnly: areReadOnly)
        }
    }

    private func words(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Until a signal asks for the end, or the input ends.
    private func waitForTheEnd() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
                for await _ in signals { break }
            }
            if untilInputEnds { group.addTask { await Self.endOfInput() } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits on a thread of its own: reading blocks.
    private static func endOfInput() async {
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            continuation.finish()
        }
        for await _ in ends {}
    }
}

/// The levels of swift-log, as an option takes them.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
