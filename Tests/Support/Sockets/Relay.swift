import Backstitch
import BackstitchSupport
package import Foundation

/// A relay between clients and a server. It passes each piece of either side on, or does not, as the test decides.
package final class Relay: Sendable {
    package enum Way: Sendable { case toServer, toClient }

    /// The lot of some bytes on their way.
    package enum Fate: Sendable {
        case passes
        /// Only this number of them pass; the connection stays.
        case passesInPart(Int)
        /// They pass after this number of seconds.
        case isLate(Double)
        /// They are lost, and the connection with them.
        case isCut
    }

    /// Decides over the pieces of one connection.
    package typealias Judge = @Sendable (Way, [UInt8]) -> Fate

    private let listener: Listener
    private let open = Locked<[ObjectIdentifier: (client: Socket, server: Socket)]>([:])

    /// Begins to take connections.
    ///
    /// - Parameters:
    ///   - server: Connects to the server; nil while there is none.
    ///   - judge: Called once for each connection, with its client's end.
    package init(
        _ listener: Listener, to server: @escaping @Sendable () -> Socket?,
        judge: @escaping @Sendable (Socket) -> Judge
    ) {
        self.listener = listener
        listener.forEachConnection { [weak self] client in
            guard let self, let server = server() else { return }
            carry(client, server, judge(client))
        }
    }

    /// Where clients find it over HTTP.
    package var url: URL { get throws { try listener.url } }

    /// Connections with one direction still open.
    package var connectionCount: Int { open.withLock { $0.count } }

    /// Takes no more connections, and cuts those that there are.
    package func stop() {
        listener.stop()
        for ends in open.withLock({ Array($0.values) }) {
            ends.client.hangUp()
            ends.server.hangUp()
        }
    }

    private func carry(_ client: Socket, _ server: Socket, _ judge: @escaping Judge) {
        open.withLock { $0[ObjectIdentifier(client)] = (client, server) }
        let running = Locked(2)
        let end: @Sendable () -> Void = { [self] in
            let isLast = running.withLock { running in
                running -= 1
                return running == 0
            }
            if isLast { open.withLock { $0[ObjectIdentifier(client)] = nil } }
        }
        Thread {
            Self.pump(.toServer, from: client, to: server, judge)
            end()
        }.start()
        Thread {
            Self.pump(.toClient, from: server, to: client, judge)
            end()
        }.start()
    }

    private static func pump(_ way: Way, from source: Socket, to target: Socket, _ judge: Judge) {
        while var bytes = source.receive() {
            switch judge(way, bytes) {
            case .passes: break
            case .passesInPart(let count): bytes.removeLast(max(0, bytes.count - count))
            case .isLate(let seconds): Thread.sleep(forTimeInterval: seconds)
            case .isCut:
                source.hangUp()
                target.hangUp()
            }
            if !target.send(bytes) {
                source.hangUp()
                break
            }
        }
        target.endSending()
    }
}
