import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import Foundation

/// A program that tests run several times at once on one database: `PostgreSQLProbe SCHEMA SECONDS SEED`. The
/// environment names the database, because no list of processes shows a password there: as a URL in `PROBE_URL`, or by
/// PostgreSQL's own variables.
///
/// It raises the counts of random entries, three a save, and writes a report of its work as one line of JSON.
@main
struct PostgreSQLProbe {
    /// The report that the program prints at its end.
    struct Report: Codable {
        /// By how much each entry was raised, in the order of their texts.
        var increments: [Int]
        /// How many saves were refused since another process had changed an entry.
        var conflicts = 0
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seconds = Double(arguments[2]), let seed = UInt64(arguments[3]) else {
            throw BackstitchError(.invalidRequest, "PROBE_URL=… PostgreSQLProbe SCHEMA SECONDS SEED")
        }
        let url = ProcessInfo.processInfo.environment["PROBE_URL"].flatMap(URL.init(string:))
        // It does not hear of the others' changes. So only the rows' versions keep a stale count from being written.
        let store = PersistentStoreDescription(
            type: .postgreSQL, url: url,
            options: [.postgresSchema: arguments[1], .postgresPoolSize: 2, .postgresPollInterval: 0])
        StoreRegistry.register(PostgreSQLStore.self)
        let container = try PersistentContainer(model: .journal, store: store)
        let report = try await increment(container, .seconds(seconds), seed)
        try container.close()
        FileHandle.standardOutput.write(try JSONEncoder().encode(report))
    }

    private static func increment(
        _ container: PersistentContainer, _ duration: Duration, _ seed: UInt64
    ) async throws -> Report {
        let ids = try await container.perform { context in
            try context.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")])).map(\.objectID)
        }
        var report = Report(increments: Array(repeating: 0, count: ids.count))
        var random = SeededGenerator(seed: seed)
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            let chosen = ids.indices.shuffled(using: &random).prefix(3)
            let isSaved = try await container.perform { context in
                for index in chosen { (try context.existingObject(with: ids[index]) as? Entry)?.count += 1 }
                do { try context.save() } catch let error as BackstitchError where error.code == .saveConflict {
                    return false
                }
                return true
            }
            guard isSaved else {
                report.conflicts += 1
                continue
            }
            for index in chosen { report.increments[index] += 1 }
        }
        return report
    }
}
