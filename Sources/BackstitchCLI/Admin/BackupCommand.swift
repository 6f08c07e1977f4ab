import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin backup`: writes the present state of a storage into a folder.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a backup of a storage into an empty folder; servers may run.",
        discussion: """
            The folder has zones.sqlite, the content of assets, and manifest.json, which is written last, also for a \
            PostgreSQL database. `admin restore` makes either kind of storage from it. The backup holds the secret of \
            the storage: protect it as you protect the records.
            """)

    @OptionGroup var options: MaintenanceOptions

    @Argument(help: "The folder; it is made if it is missing.", completion: .directory)
    var folder: String

    func run() async throws {
        try await MaintenanceOptions.run {
            let manifest = try await options.maintenance().backUp(to: URL(filePath: folder))
            let assets = manifest.assets.map { "\($0) assets" } ?? "assets stay in their bucket"
            Terminal.write("backed up \(manifest.databaseBytes) bytes of records, \(assets)\n")
        }
    }
}
