import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin purge`: removes old deletions, answers and unused content at once.
struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove old deletions and answers, and content that nothing uses, now.",
        discussion: """
            Servers do this by themselves, in small pieces. A storage in a folder must have no server meanwhile; \
            servers of a database may run. Give them the same --keep-deletions: a device that was away for longer \
            reads everything again.
            """)

    @OptionGroup var options: MaintenanceOptions

    @Option(help: "Days that deletions are kept, so that devices can read them.")
    var keepDeletions = 90

    @Option(help: "Hours that answers to idempotency keys are kept.")
    var keepAnswers = 72

    func validate() throws {
        guard (1...36_500).contains(keepDeletions) else {
            throw ValidationError("--keep-deletions takes 1 to 36500 days, not \(keepDeletions)")
        }
        guard (1...87_600).contains(keepAnswers) else {
            throw ValidationError("--keep-answers takes 1 to 87600 hours, not \(keepAnswers)")
        }
    }

    func run() async throws {
        try await MaintenanceOptions.run {
            let maintenance = try options.maintenance { configuration in
                configuration.tombstoneRetention = keepDeletions * 86_400
                configuration.idempotencyRetention = keepAnswers * 3_600
            }
            let purged = try await maintenance.purge()
            Terminal.write(
                "removed \(purged.deletions) deletions, \(purged.answers) answers, \(purged.assets) assets, \(purged.zones) zones\n"
            )
        }
    }
}
