import Backstitch

/// The order of sending: the entries' own order, but after the new objects that they refer to.
enum PushOrder {
    /// Returns the positions of `entries` in the order of sending.
    ///
    /// - Parameter targets: For each entry the objects that are sent before it if they are new.
    /// - Parameter isNew: Whether the entry's object is new in the zone.
    static func sorted(
        _ entries: [OutboxEntry], targets: [[ObjectKey]], isNew: (OutboxEntry) -> Bool = { $0.kind == .insert }
    ) -> [Int] {
        guard targets.contains(where: { !$0.isEmpty }) else { return Array(entries.indices) }
        let inserts = Dictionary(
            entries.indices.filter { isNew(entries[$0]) }.map { (entries[$0].objectID.key, $0) },
            uniquingKeysWith: { first, _ in first })
        var order: [Int] = []
        order.reserveCapacity(entries.count)
        var state = [State](repeating: .unseen, count: entries.count)
        for start in entries.indices where state[start] == .unseen {
            // The search is depth first without recursion: a chain may be as long as the batch.
            var stack = [(position: start, next: 0)]
            state[start] = .open
            while let (position, next) = stack.last {
                if next < targets[position].count {
                    stack[stack.count - 1].next += 1
                    // A target that is still open closes a circle; no order can satisfy a circle.
                    if let target = inserts[targets[position][next]], state[target] == .unseen {
                        state[target] = .open
                        stack.append((target, 0))
                    }
                } else {
                    state[position] = .done
                    order.append(position)
                    stack.removeLast()
                }
            }
        }
        return order
    }

    private enum State { case unseen, open, done }
}
