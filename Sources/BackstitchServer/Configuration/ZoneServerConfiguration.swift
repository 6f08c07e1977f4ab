public import Backstitch
public import BackstitchSQL
public import CloudWire
public import Foundation
public import Logging

/// The settings of a ``ZoneServer``.
///
/// Without any token the server is in *development mode*. It listens on a loopback address only. Every caller is the
/// user `_development`, and may name another user as `ckWebAuthToken`.
public struct ZoneServerConfiguration: Sendable {
    /// The place for records and assets.
    public enum Storage: Sendable, Hashable {
        /// In a directory. A missing one is made with mode 0700. An existing one keeps its mode, and must not be a
        /// link.
        case directory(URL)
        /// In memory, until the server stops; assets in a temporary directory.
        case memory
        /// In a database, possibly shared by several servers, such as `.postgreSQL(url)` of `BackstitchPostgreSQL`. The
        /// folder `assets` holds the assets' content, and all servers must see it. With a store of objects
        /// (``ZoneServerConfiguration/assets``) the folder holds only unfinished uploads; nil then means a temporary
        /// folder.
        case database(DatabaseSource, assets: URL? = nil)
    }

    /// A user and one secret token of the user. A user may have several tokens. Some may be read-only: for a display on
    /// a wall, a report, or a lent device.
    public struct User: Sendable, Hashable {
        /// Record name of the user.
        public var userRecordName: String
        /// Digest of the web auth token.
        public var token: TokenDigest
        /// Whether the token only reads. Each change with it is refused with ACCESS_DENIED.
        public var isReadOnly: Bool
        /// The end of the token's validity; nil for never.
        public var expires: Date?
        /// The user's name, shown to the user and to everyone with permission to find the user.
        public var nameComponents = UserNameComponents()
        /// The email address for lookups by other users.
        public var emailAddress: String?
        /// Whether other users may find the user by address and record name, and see the name.
        public var isDiscoverable = false

        /// Creates a user from the digest of a token.
        public init(userRecordName: String, token: TokenDigest, isReadOnly: Bool = false, expires: Date? = nil) {
            self.userRecordName = userRecordName
            self.token = token
            self.isReadOnly = isReadOnly
            self.expires = expires
        }

        /// Creates a user from a token of at least 22 characters. Only its digest is kept.
        public init(userRecordName: String, webAuthToken: String, isReadOnly: Bool = false, expires: Date? = nil) {
            self.init(
                userRecordName: userRecordName, token: TokenDigest(of: webAuthToken), isReadOnly: isReadOnly,
                expires: expires)
        }
    }

    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// The place for records and assets.
    public var storage: Storage
    /// The place for the content of assets.
    public var assets: Assets
    /// Whether the storage was restored from a backup, so clients know a later state. A server notices this by itself
    /// if the file `zones.witness` was not restored along with `zones.sqlite`. Otherwise it must be told, for one
    /// start.
    public var isRestored: Bool
    /// The address as clients see it, if it differs from the listening one. It is used in URLs of assets and of the
    /// long poll.
    public var publicURL: URL?
    /// The certificate for `https`; nil for `http`.
    public var transportSecurity: TransportSecurity?
    /// Whether other machines may be served without TLS, for example behind a proxy with TLS. Tokens and records then
    /// cross the network unencrypted.
    public var allowsInsecureHTTP: Bool
    /// The proxies before this server, which name the caller; nil if clients connect directly. Limits per address then
    /// count for the named callers.
    public var trustedProxies: TrustedProxies?
    /// API tokens, as digests. Development mode is on if they, ``users``, ``serverKeys`` and ``signInProviders`` are
    /// empty and ``usesAccounts`` is false.
    public var apiTokens: [TokenDigest]
    /// The users known from the configuration.
    public var users: [User]
    /// Keys of programs with signed requests to the public database.
    public var serverKeys: [ServerKey]
    /// Whether callers need a token even if ``apiTokens``, ``users`` and ``serverKeys`` are empty and the storage has
    /// no accounts yet. Then only the accounts in the storage may call; `backstitch admin` makes them. Such accounts
    /// are valid in any case, and a storage with accounts is never open to all.
    public var usesAccounts = false
    /// The address for a user's sign-in. It is told to callers without a valid web auth token.
    public var signInURL: URL?
    /// OpenID Connect providers whose users may sign in, by `POST /auth/oidc`.
    public var signInProviders: [SignInProvider] = []
    /// Validity of a token from a sign-in, in seconds; two weeks.
    public var signInLifetime = 14 * 86_400
    /// The rights of each role in the public database.
    public var publicRoles = PublicRoles()
    /// The fields allowed in queries in production.
    public var queryIndexes = QueryIndexes()
    /// The served containers. A server with tokens must set this, since a token's holder could begin any number of
    /// containers. The default nil is for development mode. Any container is served then, since only programs on this
    /// machine can ask.
    public var containers: ServedContainers?
    /// Limits of requests without extensions.
    public var standardLimits: WireLimits
    /// Limits of requests with extensions.
    public var extendedLimits: WireLimits
    /// The limits on one user's data and requests.
    public var userQuotas: UserQuotas
    /// Most bytes of requests and answers in memory at the same time, for all users together.
    public var bytesAtOnce: Int
    /// Most connections from one address, unless it is a trusted proxy. Beyond that, the connection idle for longest is
    /// closed.
    public var connectionsPerAddress: Int
    /// Seconds for the head of a request to arrive.
    public var headTimeout: Int
    /// Most invalid tokens looked up in a minute from one address. Further ones are answered with THROTTLED.
    public var failedAttemptsPerMinute: Int
    /// Seconds without traffic before a connection is closed, also in the middle of an answer if the client does not
    /// read it.
    public var idleTimeout: Int
    /// Seconds for the body of a request to arrive.
    public var bodyTimeout: Int
    /// Seconds for the bytes of an asset to arrive.
    public var uploadTimeout: Int
    /// Seconds for running requests to finish when the server stops.
    public var shutdownGrace: Int
    /// Seconds of normal work before a stop. Meanwhile `/ready` reports draining, so load balancers send no more
    /// requests.
    public var drainDelay = 0
    /// Whether servers with a shared database notify each other of changes, over one further connection each. Devices
    /// waiting at one server then hear at once of changes made at another. Without it, servers look every
    /// ``peerInterval``. They also do so behind a pooler with another connection for each transaction.
    public var usesNotifications = true
    /// Seconds between two looks for changes by other servers of the database, in case of no notification. A look is
    /// one statement, made while devices wait here.
    public var peerInterval = 5.0
    /// Replicas of the storage's database, such as `.postgreSQLReplica(url)`. Pages of changes are read from a replica
    /// if it is far enough along. So the database itself has more time for writes.
    public var readReplicas: [DatabaseSource] = []
    /// The service for waking apps that do not run; nil for none.
    public var apns: APNsConfiguration?
    /// The listener for operators' questions; nil for none.
    public var administration: AdministrationListener?
    /// Whether each request is logged at the level info. The line has route, result, time and size, but nothing of the
    /// content.
    public var logsRequests = false
    /// Origins of pages with permission to call from a browser, such as `https://app.example`: scheme, host, and any
    /// port other than the scheme's default.
    public var allowedOrigins: [String] = []
    /// Seconds before the kept answer to an idempotency key is removed.
    public var idempotencyRetention: Int
    /// Seconds before a tombstone is removed. After a longer absence, a client reads the whole zone again, and finds
    /// the deletions by itself.
    public var tombstoneRetention: Int
    /// Seconds before an uploaded asset without a record is removed. It is also the validity of an upload address.
    public var uploadRetention: Int
    /// Validity of a download address, in seconds.
    public var downloadLifetime: Int
    /// The destination of log messages.
    public var logger: Logger
    /// The clock for all of the server's times.
    public var clock: any WallClock
    /// The server's source of randomness.
    public var random: any ServerRandom

    /// The accounts for users of ``signInProviders``, in place of the storage's accounts.
    var signInAccounts: (any SignInAccounts)?
    /// Faults on purpose, for tests of clients.
    package var faults: FaultInjector?
    /// The runner of the server's work: threads unless set.
    package var runner: any WorkRunner = ThreadRunner()
    /// The slowest accepted pace of a request's body.
    var bodyPace = BodyPace()
    /// Most records counted for a client's question about the total. Each costs a look at one entry of an index.
    package var mostCounted = 100_000

    /// Creates the settings of development mode on the loopback address. Set any differences afterwards.
    public init(host: String = "127.0.0.1", port: Int = 8080, storage: Storage) {
        self.host = host
        self.port = port
        self.storage = storage
        assets = .folder
        isRestored = false
        allowsInsecureHTTP = false
        apiTokens = []
        users = []
        serverKeys = []
        standardLimits = .standard
        extendedLimits = .extended
        userQuotas = UserQuotas()
        bytesAtOnce = 128 << 20
        connectionsPerAddress = 512
        headTimeout = 10
        failedAttemptsPerMinute = 30
        idleTimeout = 90
        bodyTimeout = 60
        uploadTimeout = 900
        shutdownGrace = 10
        idempotencyRetention = 72 * 3600
        tombstoneRetention = 90 * 86_400
        uploadRetention = 15 * 60
        downloadLifetime = 3600
        logger = Logger(label: "backstitch.server")
        clock = SystemClock()
        random = SystemServerRandom()
    }

    var scheme: String { transportSecurity == nil ? "http" : "https" }

    /// Whether the configuration serves a container, without a declaration in the storage.
    func serves(_ container: String) -> Bool {
        ServedContainers.isName(container) && (containers ?? (isDevelopment ? .any : .declared([]))).contains(container)
    }

    /// True if no token, key or provider is configured, and ``usesAccounts`` is false. Everyone may call then, unless
    /// the storage has accounts.
    public var isDevelopment: Bool {
        apiTokens.isEmpty && users.isEmpty && serverKeys.isEmpty && signInProviders.isEmpty && !usesAccounts
    }
}
