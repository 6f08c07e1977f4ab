import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport

/// Stands between devices and their server at one address, whatever becomes of the server, and treats connections
/// badly: delays what goes through, cuts them in the middle of a request, and loses answers.
final class LossyProxy: Sendable {
    let url: URL
    private let relay: Relay
    private let state: Locked<State>

    private struct State {
        /// The server's port; nil while there is none.
        var target: Int?
        var isRough = false
        var random: SeededGenerator
    }

    init(seed: UInt64) throws {
        let state = Locked(State(random: SeededGenerator(seed: seed)))
        self.state = state
        relay = Relay(try Listener(at: .port(0))) {
            state.withLock { $0.target }.flatMap { Socket(to: .port($0)) }
        } judge: { _ in
            { way, _ in Self.fate(loses: way == .toServer ? 25 : 50, state) }
        }
        url = try relay.url
    }

    /// Leads to the server at this port from now on; nil for nobody.
    func lead(to port: Int?) { state.withLock { $0.target = port } }

    /// Begins or ends to treat connections badly.
    func setRough(_ isRough: Bool) { state.withLock { $0.isRough = isRough } }

    /// Ends, and cuts everything.
    func stop() { relay.stop() }

    /// - Parameter loses: Thousandths of pieces that are lost.
    private static func fate(loses: Int, _ state: Locked<State>) -> Relay.Fate {
        state.withLock { state in
            guard state.isRough else { return .passes }
            let choice = Int(state.random.next() % 1_000)
            let part = Double(state.random.next() % 1_000) / 1_000
            if choice < loses { return .isCut }
            if choice < loses + 30 { return .isLate(0.2 + part) }
            return choice < 400 ? .isLate(part * 0.03) : .passes
        }
    }
}
