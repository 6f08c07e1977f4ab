import Backstitch
import BackstitchSupport

/// Limits the work done at the same time, in total and for each user. A user with much work waits behind that work, and
/// delays no others.
///
/// Each user's waiting work is in a line of its own. At most `perUser` pieces of it are inside or in the common line.
/// So users take turns, even if one of them asks for much.
final class FairGate: Sendable {
    fileprivate struct Line {
        /// The user's pieces of work inside or in the common line.
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

    /// The number of waiting pieces of work.
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
    /// Takes a place, if one is free and the user may have it.
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

    /// Gives a place back, and returns the next one to have it.
    fileprivate mutating func leave(_ user: String) -> CheckedContinuation<Void, Never>? {
        if let own = users[user], !own.waiting.isEmpty {
            // The user's next piece of work goes to the end of the common line.
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
