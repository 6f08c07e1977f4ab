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
            It serves the containers that --container names; for a first try, --any-container serves all. Without \
            tokens it is a server for development: it listens on loopback only, and all callers are one user. With \
            tokens, a request needs an API token and, except for public reads, a user's web token. `backstitch token \
            NAME` makes a user's token and the line for the file of --users, which holds no secrets and is read again \
            at SIGHUP. `backstitch admin` makes accounts and tokens in the storage, at run time; with --accounts no \
            others are needed. Tokens can also be given in the environment: BACKSTITCH_API_TOKENS="token …" and \
            BACKSTITCH_USERS="name:token …", separated by spaces; BACKSTITCH_READERS="name:token …" has further \
            tokens of users, which only read. A token has at least 22 characters. Addresses other than loopback need \
            a certificate, or --insecure-http.
            """)

    @Option(
        help: ArgumentHelp(
            "A JSON file of options by their names: {\"port\": 8080, \"container\": [\"iCloud.org.example.app\"]}.",
            discussion: """
                Options given here come first, then variables such as BACKSTITCH_PORT in the environment, then the \
                file. BACKSTITCH_CONFIG can name the file too. Documentation/Operating.md lists all.
                """),
        completion: .file())
    var config: String?

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 8080

    @OptionGroup(title: "Storage")
    var storage: StorageOptions

    @OptionGroup(title: "Read replicas")
    var replicas: ReplicaOptions

    @OptionGroup(title: "Assets")
    var assets: AssetOptions

    @Flag(
        help: ArgumentHelp(
            "The storage was restored from a backup: begin a new history, for this start only.",
            discussion: """
                Clients read everything again, and send the changes that the backup lacks. The server notices a \
                restore by itself if zones.witness was not restored along with zones.sqlite (or is missing), so it is \
                best to leave that file out of backups. If the whole folder or disk was restored, only this flag \
                tells the server; the same holds for a PostgreSQL database. Stop all servers of the storage first. \
                Start one server with the flag, and the others without it. Leave it out at the next start of that \
                server too.
                """))
    var restored = false

    @Option(help: "The address that clients use for the server, if it is another one.")
    var publicURL: String?

    @OptionGroup(title: "Access")
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

    @Flag(help: "Serve every container that a request names, for each user as many as --quota databases allows.")
    var anyContainer = false

    @Option(help: "Days that deletions are kept for clients; a client that was away for longer reads everything again.")
    var keepDeletions = 90

    @Option(
        name: .customLong("quota"),
        help: ArgumentHelp(
            "A limit for each user, such as records=100000; repeat it for several.",
            discussion: "Names: \(UserQuotas.help)."))
    var quotas: [String] = []

    @Option(help: "The most connections from one address, except from a --trusted-proxy.")
    var connectionsPerAddress = 512

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = LogLevel.info

    @Flag(help: "End when the standard input ends, and so together with the process that started this one.")
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
