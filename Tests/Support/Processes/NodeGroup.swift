import BackstitchSupport
import BackstitchTestKit
package import Foundation

/// Several processes of `backstitch serve` on one PostgreSQL of their own. Each of them, and the database, may be
/// killed and started again.
///
/// ```swift
/// let nodes = try await NodeGroup(count: 3)
/// nodes.kill(1)
/// try await nodes.start(1)        // at another port
/// try await nodes.crashDatabase()
/// nodes.stop()
/// ```
package final class NodeGroup: Sendable {
    private let postgres: PostgresServer
    private let folder: URL
    private let arguments: [String]
    private let nodes: Locked<[ServerProcess?]>

    /// Starts the database and the nodes.
    ///
    /// - Parameter arguments: Further ones of each node.
    package init(count: Int, _ arguments: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-nodes-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.arguments = arguments
        nodes = Locked(Array(repeating: nil, count: count))
        postgres = try await onThread { try PostgresServer() }
        // The first one makes the tables; the others find them.
        for index in 0..<count { try await start(index) }
    }

    /// How many nodes there are, dead ones too.
    package var count: Int { nodes.withLock { $0.count } }

    /// The ports of the nodes that live.
    package var ports: [Int] { nodes.withLock { $0.compactMap { $0?.port } } }

    /// The port of a node; nil while it is dead.
    package func port(_ index: Int) -> Int? { nodes.withLock { $0[index]?.port } }

    /// The database.
    package var database: URL { postgres.url }

    /// Ends a node as `kill -9` does. One that is dead already stays so.
    package func kill(_ index: Int) {
        let node = nodes.withLock { nodes in
            defer { nodes[index] = nil }
            return nodes[index]
        }
        node?.process.kill()
    }

    /// Starts a node, at another port than before.
    package func start(_ index: Int) async throws {
        let (database, assets, arguments) = (postgres.url, folder.appending(path: "assets"), arguments)
        let node = try await onThread { try ServerProcess(database: database, assets: assets, arguments) }
        nodes.withLock { $0[index] = node }
    }

    /// Ends the database as a power cut does, and starts it again.
    package func crashDatabase() async throws {
        try await onThread { [postgres] in
            postgres.crash()
            try postgres.start()
        }
    }

    /// Runs statements through `psql`, and gives their output.
    package func sql(_ text: String) async throws -> String {
        try await onThread { [postgres] in try postgres.sql(text) }
    }

    /// Ends all, and removes the folder of assets.
    package func stop() {
        for index in 0..<count { kill(index) }
        postgres.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
