import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin status`: the numbers and sizes of a storage's content.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Count the content of a storage, by container and user; servers may run.",
        discussion: "It reads the sizes of all records, so it takes time in proportion to them.")

    @OptionGroup var options: MaintenanceOptions

    @Option(help: "How many users of a container are listed, the largest first.")
    var users = 20

    @Flag(help: "Write the figures as JSON: sizes in bytes, times in milliseconds since 1970.")
    var json = false

    func validate() throws {
        guard (0...100_000).contains(users) else { throw ValidationError("--users takes 0 to 100000, not \(users)") }
    }

    func run() async throws {
        try await MaintenanceOptions.run {
            let status = try await options.maintenance(needsAssets: false).status(users: users)
            if json { try Terminal.write(json: status) } else { Terminal.write(Self.text(status)) }
        }
    }

    static func text(_ status: StorageStatus) -> String {
        var lines = [
            "storage   \(status.storage)", "schema    \(status.schemaSteps.joined(separator: " "))",
            "history   \(String(status.history, radix: 36)), \(status.commits) commits counted",
        ]
        for container in status.containers {
            let last = container.lastActivity.map { time($0) } ?? "never"
            lines += [
                "", container.name,
                "  \(container.databases) databases, \(container.zones) zones, last written \(last)",
                "  \(container.records) records, \(container.deletions) deletions, \(size(container.bytes))",
                "  \(container.assets) assets, \(size(container.assetBytes)), \(container.unusedAssets) unused",
                "  \(container.answers) answers for idempotency keys, \(container.userCount) users",
            ]
            if let missing = container.missingAssets, missing > 0 {
                let named = container.missing.map { ", \($0)" }.joined()
                lines.append("  \(missing) assets of records ARE MISSING, restore them from a backup\(named)")
            }
            lines += container.users.map { user in
                "    \(user.name): \(user.records) records, \(size(user.bytes)), \(user.answers) answers"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) bytes"
        case ..<10_000_000: "\(bytes / 1000) kB"
        default: "\(bytes / 1_000_000) MB"
        }
    }
}
