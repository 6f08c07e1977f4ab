import ArgumentParser
import BackstitchServer
import Foundation
import Logging
import UnixSignals

/// `backstitch serve`: runs the zone server until a signal ends it.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the zone server, which speaks CloudKit Web Services.",
        discussion: """
            It serves the containers that --container names; for a first try, --any-container serves all. \
            Without tokens it is a server for development: it listens on loopback only, and everybody is one user. With them, \
            a request needs an API token and, but for public reads, a user's web token. `backstitch token NAME` makes a user's \
            token and the line for the file of --users, which holds no secrets and is read again at SIGHUP. `backstitch admin` \
            makes accounts and tokens in the storage, at run time; with --accounts there need be no others. \
            Tokens can also be given in the environment: BACKSTITCH_API_TOKENS="token …" and BACKSTITCH_USERS="name:token …", \
            separated by spaces; BACKSTITCH_READERS="name:token …" has further tokens of users, which only read. \
            A token has at least 22 characters. Addresses other than loopback need a certificate, or --insecure-http.
            """)

    @Option(
        help: ArgumentHelp(
            "A JSON file of options by their names: {\"port\": 8080, \"container\": [\"iCloud.org.example.app\"]}.",
            discussion: """
                Options given here come first, then BACKSTITCH_PORT and its like in the environment, then the file; \
                also BACKSTITCH_CONFIG names it. \
                Documentation/Operating.md lists all.
                """),
        completion: .file())
    var config: String?

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 8080

    @OptionGroup(title: "Where it keeps them")
    var storage: StorageOptions

    @OptionGroup(title: "Where pages of changes may be read")
    var replicas: ReplicaOptions

    @OptionGroup(title: "Where assets are kept")
    var assets: AssetOptions

    @Flag(
        help: ArgumentHelp(
            "The storage was restored from a backup: begin a new history, for this start only.",
            discussion: """
                Clients read everything again, and send what they have and the backup lacks. The server notices by itself where \
                zones.witness was not restored along with zones.sqlite (or is missing), so best leave that file out of backups. After \
                the whole folder or disk was put back, only this flag tells, and so it is with a PostgreSQL database. Stop all servers of the \
                storage before; start one with the flag, and the others, and that one next time, without it.
                """))
    var restored = false

    @Option(help: "The address under which clients reach the server, where that is another one.")
    var publicURL: String?

    @OptionGroup(title: "Who may do what")
    var access: AccessOptions

    @OptionGroup(title: "Sign-in")
    var signIn: SignInOptions

    @OptionGroup(title: "Push to apps that do not run")
    var apns: APNsOptions

    @OptionGroup(title: "Operation")
    var operation: OperationOptions

    @Option(
        name: .customLong("container"),
        help: "A container to serve, such as iCloud.org.example.app; repeat it for several.")
    var containers: [String] = []

    @Flag(help: "Serve every container that a request names, as many a user as --quota databases allows.")
    var anyContainer = false

    @Option(help: "Days for which deletions are told; a client that was away for longer reads everything again.")
    var keepDeletions = 90

    @Option(
        name: .customLong("quota"),
        help: ArgumentHelp(
            "How much one user may have or ask for, such as records=100000; repeat it for several.",
            discussion: "Names: \(UserQuotas.help)."))
    var quotas: [String] = []

    @Option(help: "Connections from one address that is no --trusted-proxy.")
    var connectionsPerAddress = 512

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = LogLevel.info

    @Flag(help: "End when the standard input ends: with the process that started this one.")
    var untilInputEnds = false

    func validate() throws {
        _ = try storage.configured(assets)
        if containers.isEmpty, !anyContainer, !access.accounts {
            throw ValidationError(
                """
                which containers are served? Name each with --container, such as --container iCloud.org.example.app, \
                or allow every name with --any-container
                """)
        }
        if anyContainer, let named = containers.first {
            throw ValidationError(
                "--any-container serves \(named) too; give --container to serve nothing else, or --any-container alone")
        }
    }

    func run() async throws {
        ServerMemory.settle()
        let end = await ServingEnd()
        let server: ZoneServer, logger: Logger
        do {
            let configuration = try configuration()
            logger = configuration.logger
            server = try ZoneServer(configuration: configuration)
            let url = try await server.start()
            end.begin()
            Terminal.write("backstitch serves at \(url.absoluteString)\n")
            if let url = server.administrationURL {
                Terminal.write("its health and metrics are at \(url.absoluteString)\n")
            }
        } catch let error as ZoneServerError {
            FileHandle.standardError.write(Data("backstitch: \(error)\n".utf8))
            throw ExitCode.failure
        }
        let reloading = Task { [access] in
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await access.reload(server) }
        }
        let cause = await end.wait(for: server, untilInputEnds: untilInputEnds)
        let wait = operation.drainSeconds
        logger.notice("serve ends", metadata: ["cause": "\(cause)", "drain_seconds": "\(wait)"])
        reloading.cancel()
        try await server.stop()
    }

    /// The server's configuration from all options.
    ///
    /// - Throws: `ValidationError` for an invalid option.
    private func configuration() throws -> ZoneServerConfiguration {
        var configuration = ZoneServerConfiguration(
            host: host, port: port, storage: try storage.configured(assets))
        configuration.isRestored = restored
        let environment = ProcessInfo.processInfo.environment
        try access.apply(to: &configuration, environment)
        try signIn.apply(to: &configuration)
        try apns.apply(to: &configuration)
        try assets.apply(to: &configuration, environment)
        try replicas.apply(to: &configuration)
        guard (1...36_500).contains(keepDeletions) else {
            throw ValidationError("--keep-deletions takes 1 to 36500 days, not \(keepDeletions)")
        }
        configuration.tombstoneRetention = keepDeletions * 86_400
        for quota in quotas { try configuration.userQuotas.set(quota) }
        configuration.connectionsPerAddress = connectionsPerAddress
        // With accounts only, the storage declares the containers.
        configuration.containers = anyContainer ? .any : containers.isEmpty ? nil : .declared(Set(containers))
        configuration.publicURL = try publicURL.map { text in
            guard let url = URL(string: text), url.host != nil else {
                throw ValidationError("--public-url takes an absolute URL, not \"\(text)\"")
            }
            return url
        }
        var logger = Logger(label: "backstitch.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel.level
        configuration.logger = logger
        try operation.apply(to: &configuration)
        return configuration
    }
}
