import BackstitchTestKit

/// The queue of a world. The entry with the earliest time runs next; among equal times the seed decides. Time jumps
/// from entry to entry.
final class Scheduler {
    private struct Entry {
        let time: Int64
        let rank: UInt64
        let number: Int
    }

    let executor: SimulationExecutor
    var random: SeededGenerator
    /// The world's time in milliseconds since the beginning of 1970. Entries are ordered by it.
    private(set) var now: Int64
    /// Milliseconds that have passed in addition, without any event.
    private(set) var skipped: Int64 = 0
    /// The number of entries that have run.
    private(set) var steps = 0
    private var heap: [Entry] = []
    private var actions: [Int: () -> Void] = [:]
    private var last = 0

    init(seed: UInt64, now: Int64 = 1_790_000_000_000) {
        random = SeededGenerator(seed: seed)
        executor = SimulationExecutor(seed: ~seed)
        self.now = now
    }

    /// Schedules `action` after this time. Returns the entry's number.
    @discardableResult
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) -> Int {
        last += 1
        actions[last] = action
        push(Entry(time: now + max(milliseconds, 0), rank: random.next(), number: last))
        return last
    }

    /// Lets time pass without events: all clocks jump. By the clocks, all entries happen that much later.
    func skip(_ milliseconds: Int64) { skipped += milliseconds }

    func cancel(_ number: Int) { actions[number] = nil }

    /// Runs the ready jobs, then the next entry. Returns false when there is none.
    func step() -> Bool {
        executor.drain()
        while let entry = pop() {
            guard let action = actions.removeValue(forKey: entry.number) else { continue }
            now = max(now, entry.time)
            steps += 1
            action()
            executor.drain()
            return true
        }
        return false
    }

    /// Starts a task on the world's thread.
    func task(_ work: @escaping () async -> Void) {
        let work = Confined(work)
        Task(executorPreference: executor) { await work.value() }
    }

    /// Returns a random number of `range`.
    func pick(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    /// Returns true with a probability of `count` in 1,000.
    func chance(_ count: Int) -> Bool { count > 0 && Int.random(in: 0..<1_000, using: &random) < count }

    // MARK: Heap

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        left.time != right.time ? left.time < right.time : left.rank < right.rank
    }

    private func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func pop() -> Entry? {
        guard let first = heap.first else { return nil }
        let moved = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = moved
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isBefore(heap[child], heap[least]) { least = child }
            }
            if least == parent { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
