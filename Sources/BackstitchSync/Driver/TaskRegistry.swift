import Backstitch
import BackstitchSupport

/// The running tasks, so that any thread can cancel them together.
final class TaskRegistry: Sendable {
    private struct State: Sendable {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// Runs `work` as a task and returns the task's number; nil if all tasks were cancelled before.
    @discardableResult
    func run(_ work: @escaping @Sendable () async -> Void) -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let number = state.next
            state.next += 1
            state.tasks[number] = Task { [weak self] in
                await work()
                self?.ended(number)
            }
            return number
        }
    }

    func cancel(_ number: Int) { state.withLock { $0.tasks.removeValue(forKey: number) }?.cancel() }

    /// Cancels all tasks, and prevents new ones.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    private func ended(_ number: Int) { state.withLock { $0.tasks[number] = nil } }
}
