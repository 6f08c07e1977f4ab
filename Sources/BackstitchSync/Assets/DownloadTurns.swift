import Backstitch
import BackstitchSupport

/// Lets downloads that somebody waits for go before those in the background. Each piece of an asset waits for its turn:
/// one of a background download begins only while nothing is asked for, and while no more than a few others run.
final class DownloadTurns: Sendable {
    private struct Waiter {
        let reference: AssetReference
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        /// The assets that are asked for, with how many ask.
        var asked: [AssetReference: Int] = [:]
        /// Pieces of background downloads under way.
        var running = 0
        var waiting: [(number: Int, waiter: Waiter)] = []
        var next = 0
    }

    /// Pieces of background downloads that run together.
    private static let limit = 4

    private let state = Locked(State())

    /// Has the pieces of an asset go before others while `work` runs.
    func asking<Value>(for reference: AssetReference, _ work: () async throws -> Value) async throws -> Value {
        wake { $0.asked[reference, default: 0] += 1 }
        defer {
            wake { state in
                let count = (state.asked[reference] ?? 1) - 1
                state.asked[reference] = count > 0 ? count : nil
            }
        }
        return try await work()
    }

    /// Runs `work`, which gets a piece, when it is its turn.
    func during<Value>(_ reference: AssetReference, _ work: () async throws -> Value) async throws -> Value {
        let isBackground = try await take(reference)
        defer { if isBackground { wake { $0.running -= 1 } } }
        return try await work()
    }

    /// - Returns: Whether the turn is one of the background's.
    private func take(_ reference: AssetReference) async throws -> Bool {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wake { state in
                    state.waiting.append((number, Waiter(reference: reference, continuation: continuation)))
                }
                // Cancelled before it had begun to wait.
                if Task.isCancelled { giveUp(number) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).waiter }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Changes the state, and lets those go on that may then.
    private func wake(_ change: (inout State) -> Void) {
        let going = state.withLock { state in
            change(&state)
            var going: [(CheckedContinuation<Bool, any Error>, Bool)] = []
            state.waiting.removeAll { _, waiter in
                if state.asked[waiter.reference] != nil {
                    going.append((waiter.continuation, false))
                    return true
                }
                guard state.asked.isEmpty, state.running < Self.limit else { return false }
                state.running += 1
                going.append((waiter.continuation, true))
                return true
            }
            return going
        }
        for (continuation, isBackground) in going { continuation.resume(returning: isBackground) }
    }
}
