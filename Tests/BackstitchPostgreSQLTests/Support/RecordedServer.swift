import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

/// A recording server. First it passes everything on and records the replies. Then it plays them to new clients by
/// itself.
final class RecordedServer: Sendable {
    /// The bytes that the server sent after it had received this many.
    struct Step {
        let heard: Int
        var reply: [UInt8]
    }

    /// The folder of its socket, to be named as the host.
    let folder: URL
    private let listener: Listener
    private let server: URL
    private let steps = Locked<[Step]>([])
    private let script = Locked<[Step]?>(nil)

    init(of server: PostgresServer) throws {
        self.server = server.folder.appending(path: ".s.PGSQL.5432")
        folder = URL(fileURLWithPath: "/tmp/backstitch-recorded-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        listener = try Listener(at: .path(folder.appending(path: ".s.PGSQL.5432")))
        listener.forEachConnection { [self] client in
            if let script = script.withLock({ $0 }) { play(script, to: client) } else { record(client) }
        }
    }

    /// The replies in the last conversation that was passed on.
    var recording: [Step] { steps.withLock { $0 } }

    /// From now on plays these steps, and hangs up.
    func play(_ steps: [Step]) { script.withLock { $0 = steps } }

    func stop() {
        listener.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private func record(_ client: Socket) {
        guard let server = Socket(to: .path(server)) else { return }
        steps.withLock { $0 = [] }
        let count = Locked(0)
        Thread {
            while let bytes = client.receive() {
                count.withLock { $0 += bytes.count }
                if !server.send(bytes) { break }
            }
            server.endSending()
        }.start()
        while let bytes = server.receive() {
            let heard = count.withLock { $0 }
            steps.withLock { steps in
                if steps.last?.heard == heard {
                    steps[steps.count - 1].reply += bytes
                } else {
                    steps.append(Step(heard: heard, reply: bytes))
                }
            }
            if !client.send(bytes) { break }
        }
        client.hangUp()
    }

    private func play(_ steps: [Step], to client: Socket) {
        var heard = 0
        for step in steps {
            while heard < step.heard {
                guard let bytes = client.receive() else { return }
                heard += bytes.count
            }
            if !client.send(step.reply) { return }
        }
        client.endSending()
        while client.receive() != nil {}
    }
}
