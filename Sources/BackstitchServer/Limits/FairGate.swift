import Backstitch
import BackstitchSupport

/// Lets so many in at a time, and of one user so many, so that whoever asks for much waits behind himself and not
/// before others.
///
/// A user's waiting work is kept in a line of its own; only its head stands in the line of all. So users take turns,
/// however much each of them asks for.
final class FairGate: Sendable {
    fileprivate struct Line {
        /// How many of the user's are inside or stand in the line of all.
        var ahead = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    fileprivate struct State {
        var free: Int
        var line: [CheckedContinuation<Void, Never>] = []
        var users: [String: Line] = [:]
    }

    private let perUser: Int
    private let state: Locked<State>

    init(total: Int, perUser: Int) {
        self.perUser = perUser
        state = Locked(State(free: total))
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.line.count + $0.users.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs `body` when it is the user's turn.
    func run<Value: Sendable>(for user: String, _ body: () async throws -> Value) async rethrows -> Value {
        await enter(user)
        defer { leave(user) }
        return try await body()
    }

    private func enter(_ user: String) async {
        if state.withLock({ $0.enter(user, perUser) }) { return }
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                if state.enter(user, perUser) { return true }
                state.queue(continuation, user, perUser)
                return false
            }
            if isIn { continuation.resume() }
        }
    }

    private func leave(_ user: String) {
        let next = state.withLock { $0.leave(user) }
        next?.resume()
    }
}

extension FairGate.State {
    /// Takes a place if there is one, and the user may have it.
    fileprivate mutating func enter(_ user: String, _ perUser: Int) -> Bool {
        guard free > 0, users[user, default: .init()].ahead < perUser else { return false }
        free -= 1
        users[user, default: .init()].ahead += 1
        return true
    }

    fileprivate mutating func queue(_ continuation: CheckedContinuation<Void, Never>, _ user: String, _ perUser: Int) {
        if users[user, default: .init()].ahead < perUser {
            users[user, default: .init()].ahead += 1
            line.append(continuation)
        } else {
            users[user, default: .init()].waiting.append(continuation)
        }
    }

    /// Gives a place back, and tells who has it now.
    fileprivate mutating func leave(_ user: String) -> CheckedContinuation<Void, Never>? {
        if let own = users[user], !own.waiting.isEmpty {
            // The user's next goes to the end of the line of all.
            line.append(users[user, default: .init()].waiting.removeFirst())
        } else {
            users[user, default: .init()].ahead -= 1
            if users[user]?.ahead == 0 { users[user] = nil }
        }
        if line.isEmpty {
            free += 1
            return nil
        }
        return line.removeFirst()
    }
}
