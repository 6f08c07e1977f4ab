import ArgumentParser
import BackstitchServer
import Foundation

/// `backstitch admin verify`: checks that all parts of a storage agree.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check a storage for contradictions; servers may run.",
        discussion: """
            Sequences of records and heads of zones, references and their targets, counters of users and their rows, \
            assets and their content. It writes a line for each fault, at most \(StorageReport.limit) of a kind, and \
            ends with the status 1 if there is any.
            """)

    @OptionGroup var options: MaintenanceOptions

    @Flag(help: "Read the bytes of all assets in a folder too, and compare them with their names.")
    var hashes = false

    @Flag(help: "Write the findings as JSON.")
    var json = false

    func run() async throws {
        try await MaintenanceOptions.run {
            let report = try await options.maintenance().verify(hashes: hashes)
            if json { try Terminal.write(json: report) } else { Terminal.write(Self.text(report)) }
            if !report.isGood { throw ExitCode.failure }
        }
    }

    static func text(_ report: StorageReport) -> String {
        var lines = report.faults.map(\.description)
        for (kind, count) in report.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where count > StorageReport.limit { lines.append("\(kind.rawValue): \(count) in all") }
        if report.danglingReferences > 0 {
            lines.append("note: \(report.danglingReferences) references with DELETE_SELF have no target yet")
        }
        if report.strayContents > 0 {
            lines.append("note: \(report.strayContents) contents of assets have no row; they go after a day")
        }
        let hashed = report.hasHashed ? ", their bytes too" : ""
        lines.append(
            report.isGood
                ? "no faults; \(report.contents) contents of assets were checked\(hashed)"
                : "\(report.counts.values.reduce(0, +)) faults")
        return lines.joined(separator: "\n") + "\n"
    }
}
