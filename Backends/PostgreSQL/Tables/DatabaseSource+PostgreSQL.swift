public import Backstitch
public import BackstitchSQL
public import Foundation

extension DatabaseSource {
    /// A PostgreSQL database for a zone server, whose tables are in a schema of their own: `backstitch_zones`, or the
    /// one of the options. It is made when it is missing.
    ///
    /// ```swift
    /// let url = URL(string: "postgres://zones@db.example.org/zones?sslmode=verify-full")!
    /// ZoneServerConfiguration(storage: .database(try .postgreSQL(url), assets: folder))
    /// ```
    /// - Parameter options: Those of PostgreSQL stores, such as ``StoreOption/postgresPoolSize``. A statement may take
    ///   10 s unless they say otherwise.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options do not fit.
    public static func postgreSQL(_ url: URL?, options: [StoreOption: any Sendable] = [:]) throws -> DatabaseSource {
        let settings = try settings(url, options, [.postgresStatementTimeout: 10.0])
        return DatabaseSource(settings.address.summary(schema: settings.schema)) {
            try PostgreSQLOpener.openTables(settings)
        }
    }

    /// A hot standby of a zone server's database: a server that replays what that one writes, and answers queries
    /// meanwhile. It is for ``ZoneServerConfiguration/readReplicas``; nothing is written there.
    ///
    /// - Parameter options: As those of ``postgreSQL(_:options:)``, but patience is short unless they say otherwise,
    ///   since the database itself can always be asked: 1 s to connect, 0.5 s for a free connection, 5 s for a
    ///   statement.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options do not fit.
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
