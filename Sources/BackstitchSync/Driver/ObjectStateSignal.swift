import Backstitch
import BackstitchSupport

/// Rings when the sync state of objects may have changed, and knows which objects are being sent.
final class ObjectStateSignal: Sendable {
    private struct State: Sendable {
        /// The number of running batches with a change of the object.
        var underWay: [ObjectKey: Int] = [:]
        /// The number of uploads outside the cycles with assets of the object.
        var uploading: [ObjectKey: Int] = [:]
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// Returns a stream that rings at once, and after each change. Rings that a listener has not heard are merged into
    /// one.
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

    /// Ends all streams of rings.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Counts the objects of a batch as being sent, until the batch is settled (``settled(_:)``) or has failed.
    func begin(_ keys: [ObjectKey]) { count(keys, in: \.underWay, by: 1) }

    func settled(_ keys: [ObjectKey]) { count(keys, in: \.underWay, by: -1) }

    /// Counts objects as being sent while their assets are uploaded outside the cycles, until ``uploaded(_:)``.
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

    /// Marks all batches as ended, settled or not, because the cycle has ended.
    func allSettled() {
        state.withLock { $0.underWay = [:] }
        ring()
    }

    func areUnderWay(_ keys: [ObjectKey]) -> Set<ObjectKey> {
        state.withLock { state in Set(keys.filter { state.underWay[$0] != nil || state.uploading[$0] != nil }) }
    }

    private func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }
}
