public import Backstitch
public import BackstitchSQL
public import CloudWire
public import Foundation
public import Logging

/// How a ``ZoneServer`` runs.
///
/// Without any token the server is in *development mode*: it listens on a loopback address only, takes every caller
/// for the user `_development`, and takes a `ckWebAuthToken` for the name of another user.
public struct ZoneServerConfiguration: Sendable {
    /// Where records and assets are kept.
    public enum Storage: Sendable, Hashable {
        /// In a directory, made with mode 0700 when it is missing; one that is there keeps its mode, and may be no
        /// link.
        case directory(URL)
        /// In memory, until the server stops; assets in a temporary directory.
        case memory
        /// In a database that several servers may share, such as `.postgreSQL(url)` of `BackstitchPostgreSQL`. The
        /// assets' content is in a folder that all of them see; where it is in a store of objects
        /// (``ZoneServerConfiguration/assets``), the folder has uploads on their way alone, and none stands for a
        /// temporary one.
        case database(DatabaseSource, assets: URL? = nil)
    }

    /// A user and the secret that proves to be that user. A user may have several tokens, of which some only read: for
    /// a display on a wall, a report, a device that is lent.
    public struct User: Sendable, Hashable {
        /// Record name of the user.
        public var userRecordName: String
        /// Digest of the web auth token.
        public var token: TokenDigest
        /// Whether whoever has the token may only read; each change is refused with ACCESS_DENIED.
        public var isReadOnly: Bool
        /// When the token stops being honoured; nil for never.
        public var expires: Date?
        /// The user's name, told to the user, and to those who may find the user.
        public var nameComponents = UserNameComponents()
        /// The address by which others may find the user.
        public var emailAddress: String?
        /// Whether other users may find the user by address and record name, and see the name.
        public var isDiscoverable = false

        /// A user with the digest of a token.
        public init(userRecordName: String, token: TokenDigest, isReadOnly: Bool = false, expires: Date? = nil) {
            self.userRecordName = userRecordName
            self.token = token
            self.isReadOnly = isReadOnly
            self.expires = expires
        }

        /// A user with a token of at least 22 characters, of which only the digest is kept.
        public init(userRecordName: String, webAuthToken: String, isReadOnly: Bool = false, expires: Date? = nil) {
            self.init(
                userRecordName: userRecordName, token: TokenDigest(of: webAuthToken), isReadOnly: isReadOnly,
                expires: expires)
        }
    }

    /// Address to listen on.
    public var host: String
    /// Port to listen on; 0 takes a free one.
    public var port: Int
    /// Where records and assets are kept.
    public var storage: Storage
    /// Where the content of assets is kept.
    public var assets: Assets
    /// Whether the storage was restored from a backup, so that it is an earlier state of one that clients know. A
    /// server notices that by itself where the file `zones.witness` was not restored along with `zones.sqlite`; else it
    /// must be told, for one start.
    public var isRestored: Bool
    /// Address that clients see, when it is not the one listened on; used in addresses of assets and of the long poll.
    public var publicURL: URL?
    /// The certificate for `https`; nil for `http`.
    public var transportSecurity: TransportSecurity?
    /// Whether other machines may be served without TLS, as behind a proxy that has it. Tokens and records then cross
    /// the network for everybody to read.
    public var allowsInsecureHTTP: Bool
    /// The proxies before this server, which say for whom they ask; nil where clients come by themselves. Limits that
    /// count by address count for the callers whom these name.
    public var trustedProxies: TrustedProxies?
    /// API tokens, as digests. Empty with empty ``users``, ``serverKeys`` and ``signInProviders`` means development
    /// mode.
    public var apiTokens: [TokenDigest]
    /// Users who may call.
    public var users: [User]
    /// Keys of programs that sign their requests to the public database.
    public var serverKeys: [ServerKey]
    /// Whether callers need a token even where neither ``apiTokens``, ``users`` nor ``serverKeys`` has any, and the
    /// storage not yet: the accounts in the storage, which `backstitch admin` makes, are all who may call. Those
    /// accounts are honoured in any case, and a storage that has some is never open to everybody.
    public var usesAccounts = false
    /// Where a user can sign in; told to callers without a valid web auth token.
    public var signInURL: URL?
    /// OpenID Connect providers whose users may sign in, by `POST /auth/oidc`.
    public var signInProviders: [SignInProvider] = []
    /// Seconds for which a token is honoured that a user gets by signing in; two weeks.
    public var signInLifetime = 14 * 86_400
    /// The rights of each role in the public database.
    public var publicRoles = PublicRoles()
    /// The fields by which production may be queried.
    public var queryIndexes = QueryIndexes()
    /// Containers that are served. A server with tokens must say it, since whoever has one could begin any number of
    /// them. Nil, as it is unless set, is for development mode, where any is served: nobody but this machine's programs
    /// can ask.
    public var containers: ServedContainers?
    /// Limits of requests without extensions.
    public var standardLimits: WireLimits
    /// Limits of requests with extensions.
    public var extendedLimits: WireLimits
    /// How much one user may have and ask for.
    public var userQuotas: UserQuotas
    /// Bytes of requests and answers of all users that are held in memory at the same time.
    public var bytesAtOnce: Int
    /// Connections from one address that is no trusted proxy's. Beyond them the one that has done nothing for longest
    /// is closed.
    public var connectionsPerAddress: Int
    /// Seconds within which the head of a request must have come.
    public var headTimeout: Int
    /// How many tokens that are not valid are looked at in a minute from one address; further ones are answered with
    /// THROTTLED.
    public var failedAttemptsPerMinute: Int
    /// Seconds after which a connection without traffic is closed, also in the middle of an answer that its client does
    /// not read.
    public var idleTimeout: Int
    /// Seconds within which the body of a request must have come.
    public var bodyTimeout: Int
    /// Seconds within which the bytes of an asset must have come.
    public var uploadTimeout: Int
    /// Seconds that running requests get to finish when the server stops.
    public var shutdownGrace: Int
    /// Seconds for which a server that stops goes on as before while `/ready` says that it drains, so that load
    /// balancers send no more.
    public var drainDelay = 0
    /// Whether servers that share a database tell each other of changes, by a connection of its own each, so that
    /// devices which wait at one hear at once of what another one is sent. Without it, and through a pooler that gives
    /// each transaction another connection, they look every ``neighbourInterval``.
    public var usesNotifications = true
    /// Seconds between two looks for changes of other servers that share the database, in case that nobody has told of
    /// them: one statement, while devices wait here.
    public var neighbourInterval = 5.0
    /// Servers that replay what the storage's database writes, such as `.postgreSQLReplica(url)`. Pages of changes are
    /// read there where one has come far enough, so that the database itself has more time for writes.
    public var readReplicas: [DatabaseSource] = []
    /// How apps are woken that do not run; nil for not at all.
    public var apns: APNsConfiguration?
    /// Where operators ask how the server is; nil for nowhere.
    public var administration: AdministrationListener?
    /// Whether each request is logged at the level info: one line with its route, result, time and size, and nothing
    /// of its content.
    public var logsRequests = false
    /// Origins whose pages may call from a browser, such as `https://app.example`: scheme, host, and the port where it
    /// is not the usual one.
    public var allowedOrigins: [String] = []
    /// Seconds for which the answer to an idempotency key is kept.
    public var idempotencyRetention: Int
    /// Seconds for which a deletion is told. A client that has not asked for so long reads the whole zone again, and
    /// finds by itself what is gone.
    public var tombstoneRetention: Int
    /// Seconds after which an uploaded asset that no record took is removed, and for which an upload address holds.
    public var uploadRetention: Int
    /// Seconds for which a download address holds.
    public var downloadLifetime: Int
    /// Where to log.
    public var logger: Logger
    /// The server's sense of time.
    public var clock: any WallClock
    /// The server's source of chance.
    public var random: any ServerRandom

    /// The accounts into which users of ``signInProviders`` sign in, in place of those of the storage.
    var signInAccounts: (any SignInAccounts)?
    /// Faults on purpose, for tests of clients.
    package var faults: FaultInjector?
    /// Where the server does its work.
    package var runner: any WorkRunner = ThreadRunner()
    /// How fast a body must come.
    var bodyPace = BodyPace()
    /// Records that one answer counts for a client that asks how many come: a look at as many entries of an index.
    package var mostCounted = 100_000

    /// A server in development mode on the loopback address; set what differs afterwards.
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

    /// Whether a container is served without being declared in the storage.
    func serves(_ container: String) -> Bool {
        ServedContainers.isName(container) && (containers ?? (isDevelopment ? .any : .declared([]))).contains(container)
    }

    /// True when no token, key and provider is configured, so that everybody may call unless the storage has accounts.
    public var isDevelopment: Bool {
        apiTokens.isEmpty && users.isEmpty && serverKeys.isEmpty && signInProviders.isEmpty && !usesAccounts
    }
}
