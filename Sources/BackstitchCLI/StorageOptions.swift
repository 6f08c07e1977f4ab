import ArgumentParser
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchServer
import Foundation

/// Where `backstitch serve` keeps what it serves.
struct StorageOptions: ParsableArguments {
    @Option(help: "The folder to keep records and assets in; without it they are gone when the server ends.")
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "The database to keep records in: sqlite:FOLDER, as --storage does, or the URL of a PostgreSQL one.",
            discussion: """
                Several servers may share a PostgreSQL database: postgres://zones@db.example.org/zones?sslmode=verify-full. Everybody \
                on this machine can read a command's options, so leave the password to PGPASSWORD or the password file.
                """))
    var database: String?

    @Option(help: "The folder of the assets' content, for a PostgreSQL database; all servers that share it see it.")
    var assets: String?

    func validate() throws {
        if storage != nil, database != nil {
            throw ValidationError("--storage and --database both say where records are; give one of them")
        }
        _ = try configured()
    }

    /// The storage of the configuration.
    func configured() throws -> ZoneServerConfiguration.Storage {
        guard let database else {
            try refuseAssets()
            return storage.map { .directory(URL(filePath: $0)) } ?? .memory
        }
        if let folder = database.wholeMatch(of: /sqlite:(.+)/)?.output.1 {
            try refuseAssets()
            return .directory(URL(filePath: String(folder)))
        }
        guard database.hasPrefix("postgres://") || database.hasPrefix("postgresql://"), let url = URL(string: database)
        else {
            throw ValidationError("--database takes sqlite:FOLDER or a URL such as postgres://user@host/database")
        }
        guard let assets else {
            throw ValidationError(
                "a PostgreSQL database keeps records alone; name a folder for the assets' content with --assets")
        }
        return .database(try .postgreSQL(url), assets: URL(filePath: assets))
    }

    private func refuseAssets() throws {
        guard assets == nil else {
            throw ValidationError("--assets goes with a PostgreSQL database; else assets are in the storage's folder")
        }
    }
}
