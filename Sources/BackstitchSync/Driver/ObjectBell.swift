import Backstitch
import BackstitchSupport

/// Rings when objects may stand otherwise with the server than before, and knows which of them are on their way.
final class ObjectBell: Sendable {
    private struct State: Sendable {
        /// How many batches under way have a change of the object.
        var underWay: [ObjectKey: Int] = [:]
        /// How many uploads beside the cycles bring assets of the object.
        var uploading: [ObjectKey: Int] = [:]
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// A ring at once, and one after each change; one stands for all that a listener has not heard yet.
    func rings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (number, isClosed) = state.withLock { state in
            state.next += 1
            if !state.isClosed { state.listeners[state.next] = continuation }
            return (state.next, state.isClosed)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        continuation.yield()
        if isClosed { continuation.finish() }
        return stream
    }

    func ring() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// Ends all listening.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Counts the objects of a batch as under way, until the batch is settled (``settled(_:)``) or has failed.
    func begin(_ keys: [ObjectKey]) { count(keys, in: \.underWay, by: 1) }

    func settled(_ keys: [ObjectKey]) { count(keys, in: \.underWay, by: -1) }

    /// Counts objects as under way while their assets are uploaded beside the cycles, until ``uploaded(_:)``.
    func beginUpload(_ keys: [ObjectKey]) { count(keys, in: \.uploading, by: 1) }

    func uploaded(_ keys: [ObjectKey]) { count(keys, in: \.uploading, by: -1) }

    private func count(
        _ keys: [ObjectKey], in counts: any WritableKeyPath<State, [ObjectKey: Int]> & Sendable, by step: Int
    ) {
        state.withLock { state in
            for key in keys {
                let count = state[keyPath: counts][key, default: 0] + step
                state[keyPath: counts][key] = count > 0 ? count : nil
            }
        }
        ring()
    }

    /// A cycle has ended: nothing of it is on its way any more, whether its batches were settled or not.
    func allSettled() {
        state.withLock { $0.underWay = [:] }
        ring()
    }

    func areUnderWay(_ keys: [ObjectKey]) -> Set<ObjectKey> {
        state.withLock { state in Set(keys.filter { state.underWay[$0] != nil || state.uploading[$0] != nil }) }
    }

    private func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }
}
