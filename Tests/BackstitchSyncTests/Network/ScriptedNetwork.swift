import BackstitchSupport
import BackstitchSync

/// A network in a state set by the test. It counts its watchers.
final class ScriptedNetwork: Sendable {
    private final class Watch: NetworkWatch {
        let number: Int
        let onEnd: @Sendable (Int) -> Void

        init(_ number: Int, _ onEnd: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.onEnd = onEnd
        }

        func end() { onEnd(number) }
    }

    private struct State {
        var path: NetworkPath
        var made = 0
        var watches: [Int: @Sendable (NetworkPath) -> Void] = [:]
        /// Reports of ended watches must not count, so these are called as well.
        var ended: [@Sendable (NetworkPath) -> Void] = []
    }

    private let state: Locked<State>

    init(_ status: NetworkPath.Status) { state = Locked(State(path: NetworkPath(status))) }

    /// A monitor of it.
    var monitor: NetworkMonitor {
        NetworkMonitor { [self] tell in
            let (number, path) = state.withLock { state in
                state.made += 1
                state.watches[state.made] = tell
                return (state.made, state.path)
            }
            Task { tell(path) }
            return Watch(number) { [self] number in
                state.withLock { state in
                    if let tell = state.watches.removeValue(forKey: number) { state.ended.append(tell) }
                }
            }
        }
    }

    var watching: Int { state.withLock { $0.watches.count } }
    var made: Int { state.withLock { $0.made } }

    func set(_ path: NetworkPath) {
        let told = state.withLock { state in
            state.path = path
            return Array(state.watches.values)
        }
        for tell in told { tell(path) }
    }

    func set(_ status: NetworkPath.Status) { set(NetworkPath(status)) }

    /// Has watches that have ended tell something.
    func tellLate(_ status: NetworkPath.Status) {
        for tell in state.withLock({ $0.ended }) { tell(NetworkPath(status)) }
    }
}
