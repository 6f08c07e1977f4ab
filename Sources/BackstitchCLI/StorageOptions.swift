import ArgumentParser
import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchServer
import Foundation

/// The options of `backstitch serve` about the place for its records.
struct StorageOptions: ParsableArguments {
    @Option(help: "The folder to keep records and assets in; without it they are gone when the server ends.")
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "The database to keep records in: sqlite:FOLDER, as --storage does, or the URL of a PostgreSQL one.",
            discussion: """
                Several servers may share a PostgreSQL database: \
                postgres://zones@db.example.org/zones?sslmode=verify-full. All users of this machine can read a \
                command's options, so give the password in PGPASSWORD or the password file.
                """))
    var database: String?

    func validate() throws {
        if storage != nil, database != nil {
            throw ValidationError("--storage and --database both say where records are; give one of them")
        }
    }

    /// The storage for the server's configuration.
    ///
    /// - Parameter options: The options of a PostgreSQL database.
    /// - Parameter needsAssets: Whether a database without a place for assets' content requires one to be named.
    func configured(
        _ assets: AssetOptions, options: [StoreOption: any Sendable] = [:], needsAssets: Bool = true
    ) throws -> ZoneServerConfiguration.Storage {
        guard let database else {
            try refuseFolder(assets)
            return storage.map { .directory(URL(filePath: $0)) } ?? .memory
        }
        if let folder = database.wholeMatch(of: /sqlite:(.+)/)?.output.1 {
            try refuseFolder(assets)
            return .directory(URL(filePath: String(folder)))
        }
        guard database.hasPrefix("postgres://") || database.hasPrefix("postgresql://"), let url = URL(string: database)
        else {
            throw ValidationError("--database takes sqlite:FOLDER or a URL such as postgres://user@host/database")
        }
        guard assets.isBucket || assets.folder != nil || !needsAssets else {
            throw ValidationError(
                """
                a PostgreSQL database keeps only records; name a place for the assets' content that all its servers \
                see: --assets FOLDER or --assets s3://BUCKET/PREFIX
                """)
        }
        return .database(
            try .postgreSQL(url, options: options), assets: assets.folder.map { URL(filePath: $0) })
    }

    /// Refuses a folder for assets with a storage that already has one.
    private func refuseFolder(_ assets: AssetOptions) throws {
        guard let folder = assets.folder else { return }
        throw ValidationError(
            """
            --assets takes folder or s3://BUCKET/PREFIX, not "\(folder)": another folder is possible only with a \
            PostgreSQL database
            """)
    }
}
