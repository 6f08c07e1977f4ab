import ArgumentParser
import BackstitchPostgreSQL
import BackstitchServer
import Foundation
import Logging

/// The options that name the storage for a command of `admin`.
struct MaintenanceOptions: ParsableArguments {
    @OptionGroup(title: "Storage")
    var storage: StorageOptions

    @OptionGroup(title: "Assets")
    var assets: AssetOptions

    @Option(help: "How much to log to the standard error: trace, debug, info, notice, warning, error or critical.")
    var logLevel = LogLevel.warning

    func validate() throws {
        guard storage.storage != nil || storage.database != nil else {
            throw ValidationError("which storage? Give --storage FOLDER, or --database sqlite:FOLDER or postgres://…")
        }
    }

    /// The maintenance of the storage. Its statements have no time limit, because they read all rows.
    ///
    /// - Parameter needsAssets: Whether the place of assets' content must be known.
    func maintenance(
        needsAssets: Bool = true, _ change: (inout ZoneServerConfiguration) -> Void = { _ in }
    ) throws -> StorageMaintenance {
        try Self.maintenance(storage, assets, logLevel, needsAssets: needsAssets, change)
    }

    static func maintenance(
        _ storage: StorageOptions, _ assets: AssetOptions, _ level: LogLevel, needsAssets: Bool = true,
        _ change: (inout ZoneServerConfiguration) -> Void = { _ in }
    ) throws -> StorageMaintenance {
        var configuration = ZoneServerConfiguration(
            storage: try storage.configured(
                assets, options: [.postgresStatementTimeout: 0.0, .postgresPoolSize: 2], needsAssets: needsAssets))
        try assets.apply(to: &configuration, ProcessInfo.processInfo.environment)
        var logger = Logger(label: "backstitch.admin") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level.level
        configuration.logger = logger
        change(&configuration)
        return StorageMaintenance(configuration)
    }

    /// Runs a command's work. An error of the storage is written as one line, and the exit status is 1.
    static func run(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let error as ZoneServerError {
            FileHandle.standardError.write(Data("backstitch: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}

extension Terminal {
    /// Writes a value as JSON, with sorted keys.
    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }
}
