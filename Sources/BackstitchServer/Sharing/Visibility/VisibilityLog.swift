import CloudWire

/// The entries that a commit adds to the log of visible records.
struct VisibilityLog {
    private var entries: [StoredVisibility] = []
    /// The shares with new entries.
    private(set) var shares: Set<Int64> = []
    private let template: StoredVisibility
    private let room: ShareChange.Room
    /// The numbers of new shares, by their temporary numbers.
    private let numbers: [Int64: Int64]
    private var last: Int64

    init(_ template: StoredVisibility, _ room: ShareChange.Room, numbers: [Int64: Int64] = [:]) {
        self.template = template
        self.room = room
        self.numbers = numbers
        last = template.sequence
    }

    /// Adds a record with a new version or a new place.
    mutating func add(_ record: HierarchyChange.Shown, at sequence: Int64) {
        for share in record.before.union(record.after) {
            var entry = template
            entry.share = numbers[share] ?? share
            entry.name = record.name
            entry.sequence = sequence
            entry.isGone = !record.after.contains(share)
            entries.append(entry)
            shares.insert(entry.share)
        }
    }

    /// Adds records that become visible or hidden with others.
    ///
    /// They may be more than a page may have, and no page cuts a commit. Then they count as further commits in the same
    /// transaction, and a guest may find them on several pages.
    mutating func move(_ records: [HierarchyChange.Shown], _ advance: () throws -> Int64) throws {
        var count = entries.count, weight = 0
        let isSmall =
            count + records.count <= room.records && records.reduce(0) { $0 + $1.weight } <= room.bytesLeft / 2
        for (index, record) in records.enumerated() {
            if !isSmall, index == 0 || count >= room.records || weight + record.weight > room.bytes {
                last = try advance()
                (count, weight) = (0, 0)
            }
            add(record, at: last)
            count += 1
            weight += record.weight
        }
    }

    /// Writes the entries, and the last sequence of each share.
    func write(in zone: StoredZone, _ writing: ZoneTransaction) throws {
        try writing.putVisibility(entries, in: zone)
        try writing.putHead(last, ofShares: shares, in: zone)
    }
}
