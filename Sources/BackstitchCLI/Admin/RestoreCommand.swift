import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin restore`: makes a storage from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a storage from a backup, in a place that has no storage.",
        discussion: """
            The storage begins a new history: devices read everything again, and send the changes that the backup \
            lacks. So `serve` needs no --restored afterwards. The new place may be of another kind than the old one: \
            a folder, or a PostgreSQL database.
            """)

    @OptionGroup var options: MaintenanceOptions

    @Argument(help: "The folder of the backup.", completion: .directory)
    var folder: String

    func run() async throws {
        try await MaintenanceOptions.run {
            try await options.maintenance().restore(from: URL(filePath: folder))
            Terminal.write("restored; start `backstitch serve` on it, without --restored\n")
        }
    }
}
