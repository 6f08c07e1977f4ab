import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport

/// The servers of a storm's devices: one process on a folder, or several on one PostgreSQL.
final class StormServers: Sendable {
    private let folder: URL
    private let one = Locked<ServerProcess?>(nil)
    private let nodes: NodeGroup?

    /// Starts them.
    ///
    /// - Parameter folder: That of a single one.
    init(_ count: Int, in folder: URL) async throws {
        self.folder = folder
        if count == 1 {
            nodes = nil
            try await startOne()
        } else {
            nodes = try await NodeGroup(count: count)
        }
    }

    /// The ports of those that live.
    var ports: [Int] { nodes?.ports ?? one.withLock { $0.map { [$0.port] } ?? [] } }

    /// Kills one and starts it again a moment later. If there are several, the database crashes instead now and then.
    func strike(_ random: inout SeededGenerator, _ proxy: LossyProxy) async throws {
        let pause = Duration.milliseconds(random.next() % 700)
        guard let nodes else {
            one.withLock { $0.take() }?.process.kill()
            proxy.lead(to: [])
            try await Task.sleep(for: pause)
            try await startOne()
            return proxy.lead(to: ports)
        }
        if random.next() % 4 == 0 { return try await nodes.crashDatabase() }
        let index = Int(random.next() % UInt64(nodes.count))
        nodes.kill(index)
        // The proxy finds out by itself that one is dead, as a balancer does.
        try await Task.sleep(for: pause)
        try await nodes.start(index)
        proxy.lead(to: ports)
    }

    private func startOne() async throws {
        let server = try await onThread { [folder] in try ServerProcess(storage: folder) }
        one.withLock { $0 = server }
    }

    func stop() {
        one.withLock { $0.take() }?.process.kill()
        nodes?.stop()
    }
}
