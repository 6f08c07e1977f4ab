import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

/// A proxy between a store and its server. On request it loses the server's answer to a `COMMIT`: the commit is carried
/// out, and the client never hears of it.
final class LossyProxy: Sendable {
    /// The folder of its socket, to be named as the host.
    let folder: URL
    /// How many answers were lost.
    let lost = Locked(0)
    private let relay: Relay
    private let losesCommit = Locked(false)

    init(to server: PostgresServer) throws {
        folder = URL(fileURLWithPath: "/tmp/backstitch-proxy-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = server.folder.appending(path: ".s.PGSQL.5432")
        relay = Relay(try Listener(at: .path(folder.appending(path: ".s.PGSQL.5432")))) {
            Socket(to: .path(target))
        } judge: { [losesCommit, lost] client in
            let isDeaf = Locked(false)
            return { way, bytes in
                switch way {
                case .toClient: return isDeaf.withLock { $0 } ? .passesInPart(0) : .passes
                case .toServer:
                    // The statement alone: a transaction begins with READ COMMITTED.
                    let isCommit = bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil
                    guard isCommit, losesCommit.withLock({ Self.take(&$0) }) else { return .passes }
                    lost.withLock { $0 += 1 }
                    isDeaf.withLock { $0 = true }
                    client.endSending()
                    return .passes
                }
            }
        }
    }

    /// From now on the next answer to a `COMMIT` is lost.
    func loseNextCommit() { losesCommit.withLock { $0 = true } }

    func stop() {
        relay.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func take(_ isArmed: inout Bool) -> Bool {
        defer { isArmed = false }
        return isArmed
    }
}
