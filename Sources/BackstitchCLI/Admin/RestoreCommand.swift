import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin restore`: makes a storage from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a storage from a backup, where there is none.",
        discussion: """
            The storage begins a new history: devices read everything again, and send what they have and the backup lacks. \
            So `serve` needs no --restored afterwards. The place may be of the other kind than that of the backup.
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
