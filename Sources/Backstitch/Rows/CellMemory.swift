import Foundation

/// The cells of a batch's rows, side by side. The memory grows while the batch is built, and is only read from then on.
///
/// The memory is allocated by C's functions. When a large piece grows, the system then moves its pages; a copy would
/// touch as many new ones.
final class CellMemory: Sendable {
    // Written only by its builder, before any other code has it.
    nonisolated(unsafe) private(set) var start: UnsafeMutablePointer<UInt64>
    nonisolated(unsafe) private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = Self.words(malloc(self.capacity * 8), self.capacity)
    }

    deinit { free(start) }

    /// Makes room for `wanted` words in all.
    @inline(__always)
    func reserve(_ wanted: Int) {
        if wanted > capacity { grow(wanted) }
    }

    private func grow(_ wanted: Int) {
        // Large memory grows by half. Twice the used size may be more than the system's library keeps for the next
        // time, and fresh pages cost more than the writes into them.
        capacity = max(capacity < Self.large ? capacity * 2 : capacity + capacity / 2, wanted)
        start = Self.words(realloc(start, capacity * 8), capacity)
    }

    /// The number of words that counts as a large piece of memory.
    private static let large = 1 << 16

    private static func words(_ memory: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutablePointer<UInt64> {
        guard let memory else { preconditionFailure("there is no memory for \(count) cells") }
        return memory.bindMemory(to: UInt64.self, capacity: count)
    }
}
