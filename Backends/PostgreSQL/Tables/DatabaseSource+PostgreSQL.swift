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
        var options = options
        if options[.postgresSchema] == nil { options[.postgresSchema] = "backstitch_zones" }
        if options[.postgresStatementTimeout] == nil { options[.postgresStatementTimeout] = 10.0 }
        let settings = try PostgreSQLOptions(
            url: url, options: StoreOptions(options, specifications: PostgreSQLOptions.specifications))
        return DatabaseSource(settings.address.summary(schema: settings.schema)) {
            try PostgreSQLOpener.openTables(settings)
        }
    }
}
