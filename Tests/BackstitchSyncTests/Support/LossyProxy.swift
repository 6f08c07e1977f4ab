import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport

/// A proxy with one address between devices and their servers, even while servers are killed. It treats connections
/// badly: it delays bytes, cuts requests in the middle, and loses answers.
///
/// If there are several servers, each connection takes the next one that lives.
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

    /// The ports in the order of the next connection's tries.
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
