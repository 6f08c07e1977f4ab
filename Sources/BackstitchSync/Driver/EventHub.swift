import Backstitch
import BackstitchSupport

/// Sends events to any number of consumers. Events before the first consumer are kept for it.
final class EventHub: Sendable {
    private struct State: Sendable {
        var consumers: [Int: AsyncStream<SyncEvent>.Continuation] = [:]
        var next = 0
        var early: [SyncEvent]? = []
        var isClosed = false
    }

    /// The most events that are kept for a slow consumer, or for the first one. The oldest are dropped.
    private static let limit = 1_000

    private let state = Locked(State())

    func stream() -> AsyncStream<SyncEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncEvent.self, bufferingPolicy: .bufferingNewest(Self.limit))
        let (number, isClosed) = state.withLock { state in
            state.next += 1
            if !state.isClosed { state.consumers[state.next] = continuation }
            for event in state.early ?? [] { continuation.yield(event) }
            state.early = nil
            return (state.next, state.isClosed)
        }
        if isClosed { continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    func send(_ event: SyncEvent) {
        let consumers = state.withLock { state in
            if let early = state.early { state.early = (early + [event]).suffix(Self.limit) }
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.yield(event) }
    }

    func close() {
        let consumers = state.withLock { state in
            state.isClosed = true
            defer { state.consumers = [:] }
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.finish() }
    }

    private func remove(_ number: Int) { state.withLock { $0.consumers[number] = nil } }
}
