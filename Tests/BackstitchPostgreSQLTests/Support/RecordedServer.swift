import Backstitch
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands where a server would: first passes everything on and writes the replies down, then plays them to new clients by itself.
final class RecordedServer: Sendable {
    /// The bytes that the server sent once it had heard so many.
    struct Step {
        let heard: Int
        var reply: [UInt8]
    }

    /// The folder of its socket, to be named as the host.
    let folder: URL
    private let listener: Int32
    private let server: URL
    private let steps = Locked<[Step]>([])
    private let script = Locked<[Step]?>(nil)

    init(of server: PostgresServer) throws {
        self.server = server.folder.appending(path: ".s.PGSQL.5432")
        folder = URL(fileURLWithPath: "/tmp/backstitch-recorded-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        listener = try Sockets.listener(at: folder.appending(path: ".s.PGSQL.5432"))
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                if let script = script.withLock({ $0 }) { play(script, to: client) } else { record(client) }
                close(client)
            }
        }.start()
    }

    /// The replies in the last conversation that was passed on.
    var recording: [Step] { steps.withLock { $0 } }

    /// From now on says this, and hangs up.
    func play(_ steps: [Step]) { script.withLock { $0 = steps } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }

    private func record(_ client: Int32) {
        guard let server = Sockets.connected(to: server) else { return }
        steps.withLock { $0 = [] }
        let count = Counter()
        Thread {
            while let bytes = Sockets.receive(from: client) {
                count.value.withLock { $0 += bytes.count }
                if !Sockets.send(bytes, to: server) { break }
            }
            shutdown(server, Int32(SHUT_WR))
        }.start()
        while let bytes = Sockets.receive(from: server) {
            let heard = count.value.withLock { $0 }
            steps.withLock { steps in
                if steps.last?.heard == heard {
                    steps[steps.count - 1].reply += bytes
                } else {
                    steps.append(Step(heard: heard, reply: bytes))
                }
            }
            if !Sockets.send(bytes, to: client) { break }
        }
        close(server)
    }

    private final class Counter: Sendable {
        let value = Locked(0)
    }

    private func play(_ steps: [Step], to client: Int32) {
        var heard = 0
        for step in steps {
            while heard < step.heard {
                guard let bytes = Sockets.receive(from: client) else { return }
                heard += bytes.count
            }
            if !Sockets.send(step.reply, to: client) { return }
        }
        shutdown(client, Int32(SHUT_WR))
        while Sockets.receive(from: client) != nil {}
    }
}
