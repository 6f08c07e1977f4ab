import BackstitchSupport

@testable import BackstitchServer

/// Tells nobody, but notes the news it is given, and holds each telling until it is released.
final class HeldTelling: Sendable {
    private struct State {
        var told: [StagedPush] = []
        var running: [StagedPush.Key: Int] = [:]
        var mostAtOnce = 0
        var isTwice = false
        var isOpen = false
        var held: [(owner: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    /// The news of all tellings that have begun, in their order.
    var told: [StagedPush] { state.withLock { $0.told } }
    /// The owners of these databases.
    var owners: [String] { told.map(\.scope.database.owner) }
    /// The number of tellings that were under way at a time.
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    /// Whether a database was told by two tellings at a time.
    var isTwice: Bool { state.withLock { $0.isTwice } }
    /// The owners of the databases whose tellings are held.
    var held: [String] { state.withLock { $0.held.map(\.owner) } }

    func tell(_ push: StagedPush) async {
        state.withLock { state in
            state.told.append(push)
            state.running[push.key, default: 0] += 1
            if state.running[push.key] != 1 { state.isTwice = true }
            state.mostAtOnce = max(state.mostAtOnce, state.running.values.reduce(0, +))
        }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append((push.scope.database.owner, continuation)) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        state.withLock { $0.running[push.key, default: 0] -= 1 }
    }

    /// Lets the telling of a database go on.
    func release(_ owner: String) {
        let held = state.withLock { state in
            state.held.firstIndex { $0.owner == owner }.map { state.held.remove(at: $0) }
        }
        held?.continuation.resume()
    }

    /// Lets all tellings go on, now and from now on.
    func open() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isOpen = true
            return state.held
        }
        for telling in held { telling.continuation.resume() }
    }
}
