public import Backstitch
import Foundation

extension StoreType {
    /// A store in a PostgreSQL database; see ``PostgreSQLStore``.
    public static let postgreSQL: StoreType = "PostgreSQL"
}

extension StoreOption {
    /// The server's name, address, or folder of its socket; without it the URL's, `PGHOST`, or the local socket.
    public static let postgresHost = StoreOption(rawValue: "postgresHost")
    /// The server's port; without it the URL's, `PGPORT`, or 5432.
    public static let postgresPort = StoreOption(rawValue: "postgresPort")
    /// The database's name; without it the URL's, `PGDATABASE`, or the user's name.
    public static let postgresDatabase = StoreOption(rawValue: "postgresDatabase")
    /// The user's name; without it the URL's, `PGUSER`, or the system user's.
    public static let postgresUser = StoreOption(rawValue: "postgresUser")
    /// The user's password; without it the URL's, `PGPASSWORD`, or the password file's.
    public static let postgresPassword = StoreOption(rawValue: "postgresPassword")
    /// How far the connection is encrypted: from `disable` to `verify-full`. Without it the URL's, `PGSSLMODE`,
    /// `prefer` for a server on this machine, and `verify-full` for any other: it must then show a certificate for its
    /// name.
    public static let postgresSSLMode = StoreOption(rawValue: "postgresSSLMode")
    /// The file of certificates that the server's must be signed by, or `system`, which libpq knows from 16 on and
    /// which is then the default.
    public static let postgresSSLRootCertificate = StoreOption(rawValue: "postgresSSLRootCertificate")
    /// How the server may ask who the user is, such as `scram-sha-256`; it gets no answer to anything else. libpq knows
    /// it from 16 on.
    public static let postgresRequireAuth = StoreOption(rawValue: "postgresRequireAuth")
    /// Further parameters of the connection by libpq's names, as a `[String: String]`:
    /// `["ssl_min_protocol_version": "TLSv1.3"]`.
    public static let postgresParameters = StoreOption(rawValue: "postgresParameters")
    /// Parameters that are secrets, by libpq's names, as a `[String: String]`; no message or description shows them:
    /// `["sslpassword": passphrase]` for the key file of `sslkey`, or, from libpq 18 on, `scram_client_key` and
    /// `scram_server_key`.
    public static let postgresSecretParameters = StoreOption(rawValue: "postgresSecretParameters")
    /// The schema (namespace) that the store's tables are in; `backstitch` without it. It is made when it is missing.
    public static let postgresSchema = StoreOption(rawValue: "postgresSchema")
    /// How many connections the store opens at most; 8 without it.
    public static let postgresPoolSize = StoreOption(rawValue: "postgresPoolSize")
    /// For how many seconds a connection may be tried to be made; 10 without it.
    public static let postgresConnectTimeout = StoreOption(rawValue: "postgresConnectTimeout")
    /// How many seconds a statement may take; 60 without it, 0 for any time.
    public static let postgresStatementTimeout = StoreOption(rawValue: "postgresStatementTimeout")
    /// For how many seconds a request waits for a free connection; 30 without it.
    public static let postgresPoolTimeout = StoreOption(rawValue: "postgresPoolTimeout")
    /// The name of the program in the server's lists and logs (`application_name`); `Backstitch` without it.
    public static let postgresApplicationName = StoreOption(rawValue: "postgresApplicationName")
    /// The folder for bytes outside the rows; without it they are kept in the database, where every server finds them.
    public static let postgresAssetDirectory = StoreOption(rawValue: "postgresAssetDirectory")
    /// How often, in seconds, a store looks for changes of other processes; 2 without it, 0 for never. Notifications of
    /// the server make it look at once.
    public static let postgresPollInterval = StoreOption(rawValue: "postgresPollInterval")
    /// Whether a pooler stands before the server that gives each transaction another connection (PgBouncer from 1.21 in
    /// transaction mode): settings are then made in each transaction; false without it. There is no LISTEN through such
    /// a pooler: changes of other processes are found by looking, every ``postgresPollInterval``.
    public static let postgresTransactionPooling = StoreOption(rawValue: "postgresTransactionPooling")
    /// Whether statements that come again are kept prepared on the server; true without it. PgBouncer knows them from
    /// 1.21 on, if its `max_prepared_statements` is not 0; before an older one say false, which has the server plan
    /// each statement anew.
    public static let postgresPreparedStatements = StoreOption(rawValue: "postgresPreparedStatements")
}

/// The options of a PostgreSQL store, read and with their defaults.
struct PostgreSQLOptions: Sendable {
    let address: PostgreSQLAddress
    let schema: String
    let poolSize: Int
    let connectTimeout: Double
    /// nil for any time.
    var statementTimeout: Double?
    let poolTimeout: Double
    let assetDirectory: String?
    let pollInterval: Double
    let usesTransactionPooling: Bool
    let preparesStatements: Bool
    /// Whether the server shall refuse writes.
    var isReadOnly = false

    init(_ configuration: StoreConfiguration) throws {
        try self.init(url: configuration.url, options: configuration.options)
        isReadOnly = configuration.isReadOnly
    }

    init(url: URL?, options: StoreOptions) throws {
        address = try PostgreSQLAddress(url: url, options: options)
        schema = options.value(.postgresSchema) ?? "backstitch"
        guard !schema.isEmpty, schema.utf8.count <= 63, !schema.utf8.contains(0), !schema.hasPrefix("pg_") else {
            throw BackstitchError(
                .invalidOption, "option \"postgresSchema\" takes a name of up to 63 bytes that does not begin with pg_",
                key: StoreOption.postgresSchema.rawValue)
        }
        // The server counts milliseconds in 32 bits. Eleven days are for ever.
        func seconds(_ option: StoreOption, _ usual: Double) -> Double {
            min(options.value(option) ?? usual, 1_000_000)
        }
        poolSize = options.value(.postgresPoolSize) ?? 8
        connectTimeout = seconds(.postgresConnectTimeout, 10)
        let timeout = seconds(.postgresStatementTimeout, 60)
        statementTimeout = timeout > 0 ? timeout : nil
        poolTimeout = seconds(.postgresPoolTimeout, 30)
        assetDirectory = options.value(.postgresAssetDirectory)
        pollInterval = seconds(.postgresPollInterval, 2)
        usesTransactionPooling = options.value(.postgresTransactionPooling) ?? false
        preparesStatements = options.value(.postgresPreparedStatements) ?? true
    }

    static let specifications: [OptionSpecification] = [
        OptionSpecification(.postgresHost, .string, "The server's name, address, or folder of its socket."),
        OptionSpecification(.postgresPort, .integer(1...65_535), "The server's port."),
        OptionSpecification(.postgresDatabase, .string, "The database's name."),
        OptionSpecification(.postgresUser, .string, "The user's name."),
        OptionSpecification(.postgresPassword, .string, "The user's password.", secret: true),
        OptionSpecification(
            .postgresSSLMode, .choice(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
            "How far the connection is encrypted."),
        OptionSpecification(
            .postgresSSLRootCertificate, .string, "The file of certificates that the server's is signed by."),
        OptionSpecification(.postgresRequireAuth, .string, "How the server may ask who the user is."),
        OptionSpecification(
            .postgresParameters, .code("a dictionary of text", { $0 is [String: String] }),
            "Further parameters of the connection by libpq's names."),
        OptionSpecification(
            .postgresSecretParameters, .code("a dictionary of text", { $0 is [String: String] }),
            "Parameters of the connection that are secrets, by libpq's names.", secret: true),
        OptionSpecification(.postgresSchema, .string, "The schema that the store's tables are in."),
        OptionSpecification(.postgresPoolSize, .integer(1...1000), "How many connections the store opens at most."),
        OptionSpecification(.postgresConnectTimeout, .seconds, "How long a connection may be tried to be made."),
        OptionSpecification(.postgresStatementTimeout, .seconds, "How long a statement may take; 0 for any time."),
        OptionSpecification(.postgresPoolTimeout, .seconds, "How long a request waits for a free connection."),
        OptionSpecification(.postgresApplicationName, .string, "What the server calls the program."),
        OptionSpecification(.postgresAssetDirectory, .string, "The folder for bytes outside the rows."),
        OptionSpecification(
            .postgresPollInterval, .seconds, "How often changes of others are looked for; 0 for never."),
        OptionSpecification(
            .postgresTransactionPooling, .boolean, "Whether a pooler gives each transaction another connection."),
        OptionSpecification(
            .postgresPreparedStatements, .boolean, "Whether statements that come again are kept prepared."),
    ]
}
