/// The transfers of one direction since the last moment without running or waiting ones, with their progress.
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

    /// Whether a transfer is running or waiting.
    var isUnderWay: Bool { users > 0 }

    /// The items that are not finished.
    var open: [Item] { entries.compactMap { $0.value.isDone ? nil : $0.key } }

    /// Returns whether an item, finished or not, is counted in the current run.
    func knows(_ item: Item) -> Bool { isUnderWay && entries[item] != nil }

    /// Returns the size of an unfinished item, in bytes; nil for others.
    func openSize(_ item: Item) -> Int64? { entries[item].flatMap { $0.isDone ? nil : $0.size } }

    /// Counts an item until ``leave(_:)``. Several callers may expect the same item.
    mutating func expect(_ item: Item, size: Int64) {
        if users == 0 { self = TransferRun() }
        users += 1
        if entries[item] == nil {
            totalCount += 1
            totalSize += size
        }
        entries[item, default: Entry(size: size)].users += 1
    }

    /// Marks an item as finished.
    mutating func finish(_ item: Item) {
        guard let entry = entries[item], !entry.isDone else { return }
        entries[item]?.isDone = true
        count += 1
        size += entry.size
    }

    /// Ends one ``expect(_:size:)``. An unfinished item is removed from the count when no caller expects it any more.
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

    /// Ends all expectations, and removes the unfinished items.
    mutating func leaveAll() {
        for (item, entry) in entries {
            for _ in 0..<entry.users { leave(item) }
        }
    }
}
