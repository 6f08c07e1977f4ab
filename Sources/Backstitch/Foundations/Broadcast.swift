import BackstitchSupport

/// Sends the same elements to any number of asynchronous readers.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<Element>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Locked(State())

    package init() {}

    /// Returns a stream of `first` and all later elements. A reader that stops reading is removed.
    package func stream(
        startingWith first: Element? = nil,
        buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        if let first { continuation.yield(first) }
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[id] = nil } }
        return stream
    }

    /// Whether there are readers: without any, no element need be made.
    package var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// Sends an element to all readers.
    package func yield(_ element: Element) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(element) }
    }

    /// Ends all streams, and every later one at once.
    package func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            state.isFinished = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    deinit { finish() }
}
