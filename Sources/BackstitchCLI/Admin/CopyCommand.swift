import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin copy`: moves a storage to another database.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Move a storage from a folder to a database, or back; no server may run.",
        discussion: """
            Everything is copied, and tokens stay valid, so devices notice nothing. It is a move: never serve the old \
            place again. For a trial, restore a backup instead, which begins its own history. At the end the new \
            storage is verified.
            """)

    @Option(help: ArgumentHelp("The storage: sqlite:FOLDER or postgres://….", valueName: "place"))
    var from: String

    @Option(help: ArgumentHelp("A place that has no storage: sqlite:FOLDER or postgres://….", valueName: "place"))
    var to: String

    @OptionGroup(title: "Assets of the new storage, and of the old one if it is not a folder")
    var assets: AssetOptions

    @Option(
        help: "The folder of assets' content of the database in --from, if both are PostgreSQL databases.",
        completion: .directory)
    var fromAssets: String?

    @Option(help: "How much to log to the standard error: trace, debug, info, notice, warning, error or critical.")
    var logLevel = LogLevel.warning

    func run() async throws {
        try await MaintenanceOptions.run {
            let source = try maintenance(
                of: from, fromAssets.map { try AssetOptions.parse(["--assets", $0]) } ?? assets)
            let target = try maintenance(of: to, assets)
            let moved = try await source.copy(to: target)
            for (table, count) in moved.sorted(by: { $0.key < $1.key }) { Terminal.write("\(table): \(count)\n") }
            let report = try await target.verify()
            Terminal.write(VerifyCommand.text(report))
            if !report.isGood { throw ExitCode.failure }
        }
    }

    /// The maintenance of one of the two storages. A storage in a folder keeps the content of assets there, unless it
    /// is in a bucket.
    private func maintenance(of place: String, _ assets: AssetOptions) throws -> StorageMaintenance {
        let isInside = place.hasPrefix("sqlite:") && !assets.isBucket
        return try MaintenanceOptions.maintenance(
            StorageOptions.parse(["--database", place]), isInside ? AssetOptions.parse([]) : assets, logLevel)
    }
}
