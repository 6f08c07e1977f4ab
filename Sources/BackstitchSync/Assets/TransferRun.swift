/// The transfers of one direction since the last time that none was under way or waited for its turn, with how much of
/// them is done.
struct TransferRun<Item: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let size: Int64
        var users = 0
        var isDone = false
    }

    private var entries: [Item: Entry] = [:]
    private var users = 0
    private(set) var totalCount = 0
    private(set) var totalSize: Int64 = 0
    private(set) var count = 0
    private(set) var size: Int64 = 0

    /// Whether something is under way, or waits.
    var isUnderWay: Bool { users > 0 }

    /// The items that have not arrived.
    var open: [Item] { entries.compactMap { $0.value.isDone ? nil : $0.key } }

    /// Whether an item is counted, done or not, in a run that goes on.
    func knows(_ item: Item) -> Bool { isUnderWay && entries[item] != nil }

    /// The bytes of an item that is not done; nil for others.
    func openSize(_ item: Item) -> Int64? { entries[item].flatMap { $0.isDone ? nil : $0.size } }

    /// Counts an item, until ``leave(_:)``. Several may expect the same.
    mutating func expect(_ item: Item, size: Int64) {
        if users == 0 { self = TransferRun() }
        users += 1
        if entries[item] == nil {
            totalCount += 1
            totalSize += size
        }
        entries[item, default: Entry(size: size)].users += 1
    }

    /// Notes that an item has arrived.
    mutating func finish(_ item: Item) {
        guard let entry = entries[item], !entry.isDone else { return }
        entries[item]?.isDone = true
        count += 1
        size += entry.size
    }

    /// Ends an ``expect(_:size:)``. An item that nobody expects any more, and that has not arrived, counts no longer.
    mutating func leave(_ item: Item) {
        guard var entry = entries[item], entry.users > 0 else { return }
        users -= 1
        entry.users -= 1
        entries[item] = entry
        guard entry.users == 0, !entry.isDone else { return }
        entries[item] = nil
        totalCount -= 1
        totalSize -= entry.size
    }

    /// Ends all.
    mutating func leaveAll() {
        for (item, entry) in entries {
            for _ in 0..<entry.users { leave(item) }
        }
    }
}
