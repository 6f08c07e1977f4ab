import Backstitch
import BackstitchSQL
import Foundation

/// Opens the database of a store, and makes its schema and tables if they do not exist.
struct PostgreSQLOpener {
    private let configuration: StoreConfiguration
    private let options: PostgreSQLOptions
    private let maker: StoreMaker
    private let name: String

    /// The oldest server version with all needed features.
    private static let oldestServer = 140_000
    /// The class of the locks for the creation of stores: `Bstc` in ASCII.
    private static let lockClass: Int64 = 0x4273_7463
    private static let assetLockClass: Int64 = 0x4273_7461
    private static let turnClass: Int64 = 0x4273_7474

    init(_ configuration: StoreConfiguration, _ options: PostgreSQLOptions) throws {
        self.configuration = configuration
        self.options = options
        maker = try StoreMaker(configuration, dialect: .postgreSQL)
        name = options.address.summary(schema: options.schema)
    }

    /// Opens the store's database, and makes or migrates the store if that is needed.
    func open() throws -> PostgreSQLDatabase {
        let pool = PostgreSQLPool(options, name: name)
        do {
            // The first connection shows a wrong address; a second attempt would not help.
            let connection = try pool.makeConnection()
            defer { connection.link.close() }
            try checkServer(connection)
            let identity = try StoreIdentity(connection, schema: options.schema)
            if identity.isBlank, configuration.isReadOnly { throw StoreConfiguration.notFound(name) }
            if try identity.isBlank || check(identity) != nil { try prepare() }
            return PostgreSQLDatabase(
                pool, name: name, isReadOnly: configuration.isReadOnly,
                foreignMigration: ForeignMigration(configuration))
        } catch {
            pool.close()
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    /// Returns the migration that ``open()`` would execute.
    func plan() throws -> MigrationPlan? {
        let pool = PostgreSQLPool(options, name: name)
        do {
            let connection = try pool.makeConnection()
            defer { connection.link.close() }
            try checkServer(connection)
            let identity = try StoreIdentity(connection, schema: options.schema)
            return identity.isBlank ? nil : try check(identity)?.plan
        } catch {
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    private func checkServer(_ connection: PostgreSQLConnection) throws {
        try Self.checkServer(connection, of: name)
    }

    /// Throws unless the server is new enough, and the database has the encoding UTF-8.
    private static func checkServer(_ connection: PostgreSQLConnection, of name: String) throws {
        let version = connection.link.serverVersion
        guard version >= oldestServer else {
            throw BackstitchError(
                .storeFailure,
                "\(name) is on PostgreSQL \(version / 10_000); stores need version \(oldestServer / 10_000) or newer"
            )
        }
        guard connection.link.serverEncoding == "UTF8" else {
            throw BackstitchError(
                .storeFailure,
                "\(name) has the encoding \(connection.link.serverEncoding); make a database with ENCODING 'UTF8' for the store"
            )
        }
    }

    /// Makes or migrates the store in one transaction, alone. A second process waits, and finds the work done.
    private func prepare() throws {
        // This takes its time, and so does waiting for another process that does it.
        var patient = options
        patient.statementTimeout = nil
        let pool = PostgreSQLPool(patient, name: name)
        let connection = try pool.makeConnection()
        defer { connection.link.close() }
        try connection.begin(.writing)
        do {
            _ = try connection.query(Self.lock(options.schema))
            let identity = try StoreIdentity(connection, schema: options.schema)
            if identity.isBlank {
                try maker.make(
                    on: connection,
                    before: ["CREATE SCHEMA IF NOT EXISTS \(SQLNames.quoted(options.schema))"]
                        + PostgreSQLFunctions.statements(),
                    after: [PostgreSQLAssets.table])
            } else if let migration = try check(identity) {
                try migration.run(on: connection, content: content(on: connection))
            }
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// The bytes outside the rows, for a migration. Bytes in the database are kept from being collected until the end
    /// of the transaction. Files in a folder are never collected.
    private func content(on connection: PostgreSQLConnection) throws -> any MigrationContent {
        if let folder = options.assetDirectory {
            return try AssetDirectory(URL(fileURLWithPath: folder, isDirectory: true))
        }
        var lock = SQLStatement(.postgreSQL, "SELECT pg_advisory_xact_lock_shared(")
        lock.append(.int(Self.assetLock(options.schema)))
        lock.append(")")
        _ = try connection.query(lock)
        return PostgreSQLMigrationContent(connection: connection, store: name)
    }

    /// Opens a database with a program's own tables. Its schema is made if it is missing.
    static func openTables(_ options: PostgreSQLOptions) throws -> PostgreSQLDatabase {
        let name = options.address.summary(schema: options.schema)
        let pool = PostgreSQLPool(options, name: name)
        do {
            let connection = try pool.makeConnection()
            defer { connection.link.close() }
            try checkServer(connection, of: name)
            try connection.begin(.writing)
            _ = try connection.query(lock(options.schema))
            _ = try connection.query(
                SQLStatement(.postgreSQL, "CREATE SCHEMA IF NOT EXISTS \(SQLNames.quoted(options.schema))"))
            try connection.commit()
            return PostgreSQLDatabase(pool, name: name, isReadOnly: false, foreignMigration: nil)
        } catch {
            pool.close()
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    /// Opens a server that replays the writes of another. It makes nothing there. The server may be away now, because
    /// connections are made only on demand.
    static func openReplica(_ options: PostgreSQLOptions) -> PostgreSQLDatabase {
        var options = options
        options.isReadOnly = true
        let name = options.address.summary(schema: options.schema)
        return PostgreSQLDatabase(
            PostgreSQLPool(options, name: name), name: name, isReadOnly: true, foreignMigration: nil)
    }

    /// Checks the identity of a schema, and returns the needed migration.
    private func check(_ identity: StoreIdentity) throws -> StoreMigration? {
        try identity.check(
            configuration, store: name,
            stranger: "has tables of another program; choose another schema by the option postgresSchema")
    }

    /// The number of the lock on the content of assets in that schema.
    static func assetLock(_ schema: String) -> Int64 { assetLockClass << 32 | Int64(number(of: schema)) }

    /// The number of the lock for turns of that name.
    static func turn(_ name: String) -> Int64 { turnClass << 32 | Int64(number(of: name)) }

    /// The statement that waits until no other process makes, migrates or removes the store in that schema.
    static func lock(_ schema: String) -> SQLStatement {
        var lock = SQLStatement(.postgreSQL, "SELECT pg_advisory_xact_lock(")
        lock.append(.int(lockClass << 32 | Int64(number(of: schema))))
        lock.append(")")
        return lock
    }

    /// The same number for the same name in every process (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv).
    static func number(of name: String) -> UInt32 {
        name.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
