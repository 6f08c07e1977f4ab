import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport

/// Stands between devices and their servers at one address, whatever becomes of the servers, and treats connections
/// badly: delays what goes through, cuts them in the middle of a request, and loses answers.
///
/// Of several servers each connection takes the next one that lives.
final class LossyProxy: Sendable {
    let url: URL
    private let relay: Relay
    private let state: Locked<State>

    private struct State {
        /// The servers' ports; empty while there is none.
        var targets: [Int] = []
        /// How many connections have come.
        var count = 0
        /// How many were cut.
        var cuts = 0
        var isRough = false
        var random: SeededGenerator
    }

    init(seed: UInt64) throws {
        let state = Locked(State(random: SeededGenerator(seed: seed)))
        self.state = state
        relay = Relay(try Listener(at: .port(0))) {
            for port in Self.inTurn(state) {
                if let socket = Socket(to: .port(port)) { return socket }
            }
            return nil
        } judge: { _ in
            { way, _ in Self.fate(loses: way == .toServer ? 25 : 50, state) }
        }
        url = try relay.url
    }

    /// Leads to the servers at these ports from now on.
    func lead(to ports: [Int]) { state.withLock { $0.targets = ports } }

    /// The ports in the order in which the next connection tries them.
    private static func inTurn(_ state: Locked<State>) -> [Int] {
        state.withLock { state in
            state.count += 1
            let first = state.targets.isEmpty ? 0 : state.count % state.targets.count
            return Array(state.targets[first...] + state.targets[..<first])
        }
    }

    /// How many connections it has cut.
    var cuts: Int { state.withLock { $0.cuts } }

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
            if choice < loses {
                state.cuts += 1
                return .isCut
            }
            if choice < loses + 30 { return .isLate(0.2 + part) }
            return choice < 400 ? .isLate(part * 0.03) : .passes
        }
    }
}
