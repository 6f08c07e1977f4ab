public import Backstitch
import Foundation

extension StoreType {
    /// A store in a PostgreSQL database; see ``PostgreSQLStore``.
    public static let postgreSQL: StoreType = "PostgreSQL"
}

extension StoreOption {
    /// The server's name, address, or folder of its socket. The default is the URL's, `PGHOST`, or the local socket.
    public static let postgresHost = StoreOption(rawValue: "postgresHost")
    /// The server's port. The default is the URL's, `PGPORT`, or 5432.
    public static let postgresPort = StoreOption(rawValue: "postgresPort")
    /// The database's name. The default is the URL's, `PGDATABASE`, or the user's name.
    public static let postgresDatabase = StoreOption(rawValue: "postgresDatabase")
    /// The user's name. The default is the URL's, `PGUSER`, or the system user's name.
    public static let postgresUser = StoreOption(rawValue: "postgresUser")
    /// The user's password. The default is the URL's, `PGPASSWORD`, or the password file's.
    public static let postgresPassword = StoreOption(rawValue: "postgresPassword")
    /// The encryption of the connection, from `disable` to `verify-full`. The default is the URL's, or `PGSSLMODE`.
    /// Without these it is `prefer` for a server on this machine, and `verify-full` for any other. Such a server must
    /// show a certificate for its name.
    public static let postgresSSLMode = StoreOption(rawValue: "postgresSSLMode")
    /// The file of certificates that must have signed the server's certificate, or `system`. libpq knows `system` since
    /// version 16, and it is then the default.
    public static let postgresSSLRootCertificate = StoreOption(rawValue: "postgresSSLRootCertificate")
    /// The methods that the server may use to authenticate the user, for instance `scram-sha-256`. Other requests get
    /// no answer. libpq knows this parameter since version 16.
    public static let postgresRequireAuth = StoreOption(rawValue: "postgresRequireAuth")
    /// Further parameters of the connection by libpq's names, as a `[String: String]`, for instance
    /// `["ssl_min_protocol_version": "TLSv1.3"]`.
    public static let postgresParameters = StoreOption(rawValue: "postgresParameters")
    /// Secret parameters by libpq's names, as a `[String: String]`. No message or description shows them.
    /// `["sslpassword": passphrase]` is for the key file of `sslkey`. libpq 18 and later also have `scram_client_key`
    /// and `scram_server_key`.
    public static let postgresSecretParameters = StoreOption(rawValue: "postgresSecretParameters")
    /// The schema (namespace) of the store's tables. The default is `backstitch`. A missing schema is made.
    public static let postgresSchema = StoreOption(rawValue: "postgresSchema")
    /// The most connections that the store opens. The default is 8.
    public static let postgresPoolSize = StoreOption(rawValue: "postgresPoolSize")
    /// The seconds for attempts to connect. The default is 10.
    public static let postgresConnectTimeout = StoreOption(rawValue: "postgresConnectTimeout")
    /// The most seconds for a statement. The default is 60, and 0 means no limit.
    public static let postgresStatementTimeout = StoreOption(rawValue: "postgresStatementTimeout")
    /// The seconds that a request waits for a free connection. The default is 30.
    public static let postgresPoolTimeout = StoreOption(rawValue: "postgresPoolTimeout")
    /// The program's name in the server's lists and logs (`application_name`). The default is `Backstitch`.
    public static let postgresApplicationName = StoreOption(rawValue: "postgresApplicationName")
    /// The folder for bytes outside the rows. By default they are kept in the database, because every server finds them
    /// there.
    public static let postgresAssetDirectory = StoreOption(rawValue: "postgresAssetDirectory")
    /// The seconds between two looks for changes by other processes. The default is 2, and 0 means never. Notifications
    /// of the server cause a look at once.
    public static let postgresPollInterval = StoreOption(rawValue: "postgresPollInterval")
    /// Whether a pooler in front of the server gives each transaction another connection (PgBouncer 1.21 or later in
    /// transaction mode). Settings are then made in each transaction. The default is false. Such a pooler has no
    /// LISTEN, so changes by other processes are found by looks, every ``postgresPollInterval``.
    public static let postgresTransactionPooling = StoreOption(rawValue: "postgresTransactionPooling")
    /// Whether repeated statements stay prepared on the server. The default is true. PgBouncer supports them since
    /// version 1.21, if its `max_prepared_statements` is not 0. With an older one, use false; the server then plans
    /// each statement anew.
    public static let postgresPreparedStatements = StoreOption(rawValue: "postgresPreparedStatements")
}

/// The options of a PostgreSQL store, with defaults for missing ones.
struct PostgreSQLOptions: Sendable {
    let address: PostgreSQLAddress
    let schema: String
    let poolSize: Int
    let connectTimeout: Double
    /// The most seconds for a statement; nil for no limit.
    var statementTimeout: Double?
    let poolTimeout: Double
    let assetDirectory: String?
    let pollInterval: Double
    let usesTransactionPooling: Bool
    let preparesStatements: Bool
    /// Whether the server must refuse writes.
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
        // The server counts milliseconds in 32 bits, so the limit is eleven days.
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
            "How strictly the connection is encrypted and the server is checked."),
        OptionSpecification(
            .postgresSSLRootCertificate, .string, "The file of the authorities that sign the server's certificate."),
        OptionSpecification(.postgresRequireAuth, .string, "The authentication methods that the server may use."),
        OptionSpecification(
            .postgresParameters, .code("a dictionary of text", { $0 is [String: String] }),
            "Further parameters of the connection, by their names in libpq."),
        OptionSpecification(
            .postgresSecretParameters, .code("a dictionary of text", { $0 is [String: String] }),
            "Secret parameters of the connection, by their names in libpq.", secret: true),
        OptionSpecification(.postgresSchema, .string, "The schema that the store's tables are in."),
        OptionSpecification(.postgresPoolSize, .integer(1...1000), "How many connections the store opens at most."),
        OptionSpecification(.postgresConnectTimeout, .seconds, "The longest time for opening a connection."),
        OptionSpecification(.postgresStatementTimeout, .seconds, "How long a statement may take; 0 for any time."),
        OptionSpecification(.postgresPoolTimeout, .seconds, "How long a request waits for a free connection."),
        OptionSpecification(.postgresApplicationName, .string, "The name of the program on the server."),
        OptionSpecification(.postgresAssetDirectory, .string, "The folder for bytes outside the rows."),
        OptionSpecification(
            .postgresPollInterval, .seconds,
            "The time between two checks for changes of other programs; 0 for no checks."),
        OptionSpecification(
            .postgresTransactionPooling, .boolean, "Whether a pooler gives each transaction another connection."),
        OptionSpecification(
            .postgresPreparedStatements, .boolean, "Whether repeated statements stay prepared."),
    ]
}
