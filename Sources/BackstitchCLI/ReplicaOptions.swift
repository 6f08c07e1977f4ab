import ArgumentParser
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchServer
import Foundation

/// The options of `serve` that name further servers for reading pages of changes.
struct ReplicaOptions: ParsableArguments {
    @Option(
        name: .customLong("read-replica"),
        help: ArgumentHelp(
            "A hot standby of the PostgreSQL database, to read pages of changes from; repeat it for several.",
            discussion: """
                A page is read there only if the standby is recent enough, else from the database. A standby that \
                fails is not used for \(ReplicaOptions.rest) seconds.
                """, valueName: "url"))
    var replicas: [String] = []

    private static let rest = 10

    /// Sets the replicas from their addresses.
    ///
    /// - Throws: `ValidationError` for an address of another kind.
    func apply(to configuration: inout ZoneServerConfiguration) throws {
        configuration.readReplicas = try replicas.map { text in
            guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), let url = URL(string: text) else {
                throw ValidationError("--read-replica takes a URL such as postgres://user@host/database")
            }
            return try .postgreSQLReplica(url)
        }
    }
}
