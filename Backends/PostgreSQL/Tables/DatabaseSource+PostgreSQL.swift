public import Backstitch
public import BackstitchSQL
public import Foundation

extension DatabaseSource {
    /// A PostgreSQL database for a zone server. Its tables are in a schema of their own: `backstitch_zones`, or the
    /// schema in the options. A missing schema is made.
    ///
    /// ```swift
    /// let url = URL(string: "postgres://zones@db.example.org/zones?sslmode=verify-full")!
    /// ZoneServerConfiguration(storage: .database(try .postgreSQL(url), assets: folder))
    /// ```
    /// - Parameter options: The options of PostgreSQL stores, for instance ``StoreOption/postgresPoolSize``. The
    ///   default timeout of a statement is 10 s here.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options contradict each other.
    public static func postgreSQL(_ url: URL?, options: [StoreOption: any Sendable] = [:]) throws -> DatabaseSource {
        let settings = try settings(url, options, [.postgresStatementTimeout: 10.0])
        return DatabaseSource(settings.address.summary(schema: settings.schema)) {
            try PostgreSQLOpener.openTables(settings)
        }
    }

    /// A hot standby of a zone server's database: a server that replays its writes, and answers queries meanwhile. Use
    /// it for ``ZoneServerConfiguration/readReplicas``. It is never written to.
    ///
    /// - Parameter options: The same as for ``postgreSQL(_:options:)``, but with short default timeouts: 1 s to
    ///   connect, 0.5 s for a free connection, 5 s for a statement. They are short because the database itself can
    ///   always be queried.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options contradict each other.
    public static func postgreSQLReplica(
        _ url: URL?, options: [StoreOption: any Sendable] = [:]
    ) throws -> DatabaseSource {
        let settings = try settings(
            url, options,
            [.postgresStatementTimeout: 5.0, .postgresConnectTimeout: 1.0, .postgresPoolTimeout: 0.5])
        return DatabaseSource(settings.address.summary(schema: settings.schema)) {
            PostgreSQLOpener.openReplica(settings)
        }
    }

    /// The options for a zone server's database: the given ones, then the usual ones, then the schema
    /// `backstitch_zones`.
    private static func settings(
        _ url: URL?, _ options: [StoreOption: any Sendable], _ usual: [StoreOption: any Sendable]
    ) throws -> PostgreSQLOptions {
        let all = options.merging(usual) { given, _ in given }.merging([.postgresSchema: "backstitch_zones"]) {
            given, _ in
            given
        }
        return try PostgreSQLOptions(
            url: url, options: StoreOptions(all, specifications: PostgreSQLOptions.specifications))
    }
}
