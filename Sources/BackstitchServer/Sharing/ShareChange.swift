import BackstitchSupport
import CloudWire

/// A change of a share, with what follows from it for those who take part, in the transaction of a commit.
struct ShareChange {
    /// How much one commit may tell guests, whose pages never cut one.
    struct Room {
        var records: Int
        var bytes: Int
        /// Bytes of that beside what the commit writes itself.
        var bytesLeft: Int
        let budget: ShareBudget
    }

    private let zone: StoredZone
    private let before: StoredShare?
    private var after: StoredShare?
    private let entry: StoredVisibility
    private let room: Room
    /// The users who come, and have no other part in the zone; and those who have.
    private var newcomers: [String] = []
    private var arrivals: [String] = []

    /// - Parameters:
    ///   - before: Nil for a share that is made.
    ///   - after: Nil for one that ends.
    ///   - entry: The sequence, history and time of the commit.
    init(
        _ zone: StoredZone, from before: StoredShare?, to after: StoredShare?, _ entry: StoredVisibility, _ room: Room
    ) {
        self.zone = zone
        self.before = before
        self.after = after
        self.entry = entry
        self.room = room
    }

    /// Writes the share, and what ends for users.
    ///
    /// - Returns: The users who must hear of it, whatever else they see of the zone.
    mutating func write(_ writing: any ZoneWriting) throws -> [ByteText] {
        guard let share = before ?? after else { return [] }
        let staying = Set((after?.guests ?? []).map({ ByteText($0) }))
        let left = (before?.guests ?? []).map({ ByteText($0) }).filter { !staying.contains($0) }
        guard share.root != nil else {
            try put(writing)
            if !left.isEmpty { try writing.endAccess(to: zone, ofUsers: left.map(\.string)) }
            // Of an earlier stay they may have tokens that count what a share of a record did not show.
            let came = (after?.readers ?? []).subtracting(before?.readers ?? []).map(\.string)
            try writing.putFloor(entry.sequence, ofGuests: came, in: zone)
            return left
        }
        let readers = before?.readers ?? [], next = after?.readers ?? []
        let concerned = readers.symmetricDifference(next).union(left)
        let others = Dictionary(
            try writing.guests(of: zone, among: concerned.map(\.string), besides: share)
                .map { (ByteText($0.user), $0.mayRead) }
        ) { $0 || $1 }
        // While the rows of those who go are there still.
        let losers = readers.subtracting(next).filter { others[$0] == true }.map(\.string)
        try tell(losers, of: share, gone: true, writing)
        let came = next.subtracting(readers)
        newcomers = came.filter { others[$0] != true }.map(\.string)
        arrivals = came.filter { others[$0] == true }.map(\.string)
        if let participants = after?.participants {
            for index in participants.indices {
                if let user = participants[index].user, came.contains(ByteText(user)) {
                    after?.participants[index].since = entry.sequence
                }
            }
        }
        try put(writing)
        let ended = left.filter { others[$0] == nil }
        if !ended.isEmpty { try writing.endAccess(to: zone, ofUsers: ended.map(\.string)) }
        return Array(concerned)
    }

    private func put(_ writing: any ZoneWriting) throws {
        if let after {
            try writing.putShare(after, replacing: before, of: zone)
        } else if let before {
            try writing.removeShare(before, of: zone)
        }
    }

    /// Lets those who have come hear of what the share shows, once that is written.
    func tellThoseWhoCame(_ writing: any ZoneWriting) throws {
        guard let after, after.root != nil else { return }
        // A newcomer begins anew; a token from an earlier stay may have missed something since.
        try writing.putFloor(entry.sequence, ofGuests: newcomers, in: zone)
        try tell(arrivals, of: after, gone: false, writing)
    }

    private func tell(_ users: [String], of share: StoredShare, gone: Bool, _ writing: any ZoneWriting) throws {
        guard !users.isEmpty else { return }
        let extent = try writing.extent(of: share, in: zone, upTo: room.records + 1)
        if extent.entries <= room.records, extent.weight <= room.bytesLeft / 2,
            room.budget.take(entries: extent.entries * users.count)
        {
            try writing.tell(users, of: share, in: zone, at: entry, gone: gone)
        } else {
            // Too much to be told: they read everything again.
            try writing.putFloor(entry.sequence, ofGuests: users, in: zone)
        }
    }
}
