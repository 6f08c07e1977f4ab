import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands between devices and their server at one address, whatever becomes of the server, and treats connections badly: delays what goes
/// through, cuts them in the middle of a request, and loses answers.
final class LossyProxy: Sendable {
    let url: URL
    private let listener: Int32
    private let state: Locked<State>

    private struct State {
        /// The server's port; nil while there is none.
        var target: Int?
        var isRough = false
        var random: SeededGenerator
        var open: Set<Int32> = []
    }

    /// The fate of some bytes on their way.
    private enum Fate { case passes, isLate(Double), isLost }

    init(seed: UInt64) throws {
        state = Locked(State(random: SeededGenerator(seed: seed)))
        let listener = Sockets.tcp()
        self.listener = listener
        guard let port = Sockets.bindToAnyPort(listener), listen(listener, 64) == 0,
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw PostgresServer.Failure("the proxy cannot listen") }
        self.url = url
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                serve(client)
            }
        }.start()
    }

    /// Leads to the server at this port from now on; nil for nobody.
    func lead(to port: Int?) { state.withLock { $0.target = port } }

    /// Begins or ends to treat connections badly.
    func setRough(_ isRough: Bool) { state.withLock { $0.isRough = isRough } }

    /// Ends, and cuts everything.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for socket in state.withLock({ $0.open }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func serve(_ client: Int32) {
        guard let port = state.withLock({ $0.target }), let server = Sockets.connected(toPort: port) else {
            close(client)
            return
        }
        state.withLock { $0.open.formUnion([client, server]) }
        let ends = Locked(2)
        pump(from: client, to: server, loses: 25, ends)
        pump(from: server, to: client, loses: 50, ends)
    }

    /// Hands on what comes, in a thread of its own.
    ///
    /// - Parameter loses: Thousandths of pieces that are lost, and the connection with them.
    private func pump(from source: Int32, to target: Int32, loses: Int, _ ends: Locked<Int>) {
        Thread { [self] in
            while let bytes = Sockets.receive(from: source) {
                switch fate(loses) {
                case .isLost:
                    shutdown(source, Int32(SHUT_RDWR))
                    shutdown(target, Int32(SHUT_RDWR))
                    continue
                case .isLate(let seconds): Thread.sleep(forTimeInterval: seconds)
                case .passes: break
                }
                if !Sockets.send(bytes, to: target) { break }
            }
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(target, Int32(SHUT_RDWR))
            // The thread that ends last closes both.
            let isLast = ends.withLock { ends in
                ends -= 1
                return ends == 0
            }
            guard isLast else { return }
            state.withLock { $0.open.subtract([source, target]) }
            close(source)
            close(target)
        }.start()
    }

    private func fate(_ loses: Int) -> Fate {
        state.withLock { state in
            guard state.isRough else { return .passes }
            let choice = Int(state.random.next() % 1_000)
            let part = Double(state.random.next() % 1_000) / 1_000
            if choice < loses { return .isLost }
            if choice < loses + 30 { return .isLate(0.2 + part) }
            return choice < 400 ? .isLate(part * 0.03) : .passes
        }
    }
}
