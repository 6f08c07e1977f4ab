import Dispatch

extension WorkerPool {
    /// Runs `body` for each item, on threads of the pool and on the caller's, and waits for all. It is meant for work
    /// that mostly waits for the disk.
    ///
    /// - Parameter count: The most items in work at a time.
    /// - Throws: The error of the first failed item, in the order of `items`; `body` runs for the others too.
    package func together<Item: Sendable>(
        _ items: [Item], atOnce count: Int, _ body: @escaping @Sendable (Item) throws -> Void
    ) throws {
        if items.count == 1 { return try body(items[0]) }
        let turns = Turns(items)
        let group = DispatchGroup()
        for _ in 1..<max(min(items.count, count), 1) {
            group.enter()
            submit {
                turns.take(body)
                group.leave()
            }
        }
        turns.take(body)
        group.wait()
        if let fault = turns.firstFault { throw fault }
    }
}

/// A list of items for several threads: each thread takes the next one.
private final class Turns<Item: Sendable>: Sendable {
    private struct State {
        var next = 0
        var faults: [Int: any Error] = [:]
    }

    private let items: [Item]
    private let state = Locked(State())

    init(_ items: [Item]) { self.items = items }

    func take(_ body: (Item) throws -> Void) {
        while let index = takeNext() {
            do { try body(items[index]) } catch { state.withLock { $0.faults[index] = error } }
        }
    }

    var firstFault: (any Error)? { state.withLock { $0.faults.min { $0.key < $1.key }?.value } }

    private func takeNext() -> Int? {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next < items.count ? state.next : nil
        }
    }
}
