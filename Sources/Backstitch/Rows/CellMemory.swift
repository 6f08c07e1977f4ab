/// The cells of a batch's rows, side by side: memory that grows while the batch is built, and is read only from then on.
final class CellMemory: Sendable {
    // Written by its builder only, before anybody else has it.
    nonisolated(unsafe) private(set) var start: UnsafeMutablePointer<UInt64>
    nonisolated(unsafe) private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// Makes room for `wanted` cells in all; those up to `count` stay.
    @inline(__always)
    func reserve(_ wanted: Int, keeping count: Int) {
        if wanted > capacity { grow(wanted, count) }
    }

    private func grow(_ wanted: Int, _ count: Int) {
        capacity = max(capacity * 2, wanted)
        let place = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        place.initialize(from: start, count: count)
        start.deallocate()
        start = place
    }
}
