import BackstitchSupport
import CloudWire

/// A change of a share within a commit, with its consequences for the participants.
struct ShareChange {
    /// The limits for what one commit may tell guests. No page cuts a commit.
    struct Room {
        var records: Int
        var bytes: Int
        /// The bytes left after the records written by the commit itself.
        var bytesLeft: Int
        let budget: ShareBudget
    }

    private let zone: StoredZone
    private let before: StoredShare?
    private var after: StoredShare?
    private let entry: StoredVisibility
    private let room: Room
    /// The joining users: first those without another part in the zone, then those with one.
    private var newcomers: [String] = []
    private var arrivals: [String] = []

    /// Takes the states before and after the change.
    ///
    /// - Parameters:
    ///   - before: The share before the change; nil for a new share.
    ///   - after: The share after the change; nil for a share that ends.
    ///   - entry: An entry with the sequence, history and time of the commit.
    init(
        _ zone: StoredZone, from before: StoredShare?, to after: StoredShare?, _ entry: StoredVisibility, _ room: Room
    ) {
        self.zone = zone
        self.before = before
        self.after = after
        self.entry = entry
        self.room = room
    }

    /// Writes the share, and ends the access of users who leave.
    ///
    /// - Returns: The users to tell of the change, even if they see nothing of the zone any more.
    mutating func write(_ writing: ZoneTransaction) throws -> [ByteText] {
        guard let share = before ?? after else { return [] }
        let staying = Set((after?.guests ?? []).map({ ByteText($0) }))
        let left = (before?.guests ?? []).map({ ByteText($0) }).filter { !staying.contains($0) }
        guard share.root != nil else {
            try put(writing)
            if !left.isEmpty { try writing.endAccess(to: zone, ofUsers: left.map(\.string)) }
            // A user may have tokens from an earlier stay with a smaller view. The floor makes them invalid.
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
        // This must come before the removal of the leaving users' rows.
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

    /// Writes or removes the rows of the share.
    private func put(_ writing: ZoneTransaction) throws {
        if let after {
            try writing.putShare(after, replacing: before, of: zone)
        } else if let before {
            try writing.removeShare(before, of: zone)
        }
    }

    /// Tells new participants of the visible records, after these are written.
    func tellNewParticipants(_ writing: ZoneTransaction) throws {
        guard let after, after.root != nil else { return }
        // A newcomer begins from nothing. A token from an earlier stay may have missed changes since then.
        try writing.putFloor(entry.sequence, ofGuests: newcomers, in: zone)
        try tell(arrivals, of: after, gone: false, writing)
    }

    /// Tells users of all records of the share, or makes them read everything again if that is too much.
    private func tell(_ users: [String], of share: StoredShare, gone: Bool, _ writing: ZoneTransaction) throws {
        guard !users.isEmpty else { return }
        let extent = try writing.extent(of: share, in: zone, upTo: room.records + 1)
        if extent.entries <= room.records, extent.weight <= room.bytesLeft / 2,
            room.budget.take(entries: extent.entries * users.count)
        {
            try writing.tell(users, of: share, in: zone, at: entry, gone: gone)
        } else {
            // Too many entries to write, so the users read everything again.
            try writing.putFloor(entry.sequence, ofGuests: users, in: zone)
        }
    }
}
