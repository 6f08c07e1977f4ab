import Backstitch
import BackstitchSupport

/// Gives requested downloads priority over those in the background. Each piece of an asset waits for its turn. A piece
/// of a background download begins only if no asset is requested and fewer than ``limit`` such pieces are running.
final class DownloadTurns: Sendable {
    private struct Waiter {
        let reference: AssetReference
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        /// The requested assets, each with the number of its requests.
        var asked: [AssetReference: Int] = [:]
        /// The number of running pieces of background downloads.
        var running = 0
        var waiting: [(number: Int, waiter: Waiter)] = []
        var next = 0
    }

    /// The most pieces of background downloads that run at the same time.
    private static let limit = 4

    private let state = Locked(State())

    /// Gives the pieces of an asset priority over others while `work` runs.
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

    /// Runs `work`, which downloads a piece, when its turn has come.
    func during<Value>(_ reference: AssetReference, _ work: () async throws -> Value) async throws -> Value {
        let isBackground = try await take(reference)
        defer { if isBackground { wake { $0.running -= 1 } } }
        return try await work()
    }

    /// - Returns: Whether the turn belongs to a background download.
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
                // The task was cancelled before it began to wait.
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

    /// Changes the state, and resumes the waiters that may then run.
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
