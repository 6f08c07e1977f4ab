import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The view of one guest on a zone with shared records.
///
/// All other records of the zone are hidden from the guest in every operation. They are filtered here, at the reading
/// of records, so no operation needs a check of its own.
extension ZoneSnapshot {
    /// The records with these names that the guest sees. A record that the guest no longer sees appears as deleted.
    func records(
        _ zone: StoredZone, seenBy guest: SharedAccess, _ parts: [SharedPart], named names: [String], limit: Int
    ) throws -> [StoredRecord?] {
        let sight = GuestSight(try visibility(zone, of: names), of: guest, parts)
        let seen = names.filter { sight.shows($0) }
        return sight.view(names, seen, try records(zone.whole, named: seen, limit: limit))
    }

    /// The first of these records, as the guest sees them; see ``firstRecords(_:named:bytes:)``.
    func firstRecords(
        _ zone: StoredZone, seenBy guest: SharedAccess, _ parts: [SharedPart], named names: [String], bytes: Int
    ) throws -> [StoredRecord?] {
        let sight = GuestSight(try visibility(zone, of: names), of: guest, parts)
        let seen = names.filter { sight.shows($0) }
        let found = try firstRecords(zone.whole, named: seen, bytes: bytes)
        guard found.count < seen.count else { return sight.view(names, seen, found) }
        let next = ByteText(seen[found.count])
        return sight.view(Array(names.prefix { ByteText($0) != next }), seen, found)
    }

    /// The names among these that belong to live records visible to the guest.
    func liveNames(
        _ zone: StoredZone, seenBy guest: SharedAccess, _ parts: [SharedPart], among names: [String]
    ) throws -> Set<ByteText> {
        let sight = GuestSight(try visibility(zone, of: names), of: guest, parts)
        return try liveNames(zone.whole, among: names.filter { sight.shows($0) })
    }

    /// A page of the guest's feed. It merges the logs of all the guest's shares after the cursor.
    func page(
        _ zone: StoredZone, seenBy guest: SharedAccess, _ parts: [SharedPart], _ query: FeedQuery
    ) throws -> StoredPage {
        var pager = FeedPager(query), isFull = false, start = 0
        let logs = try logs(
            of: parts.filter { $0.head > query.cursor }.map(\.number) + [-guest.guestID], in: zone,
            after: query.cursor, limit: pager.room > 1 ? query.limit : 1)
        let end = GuestLog.end(of: logs)
        var latest: [ByteText: StoredVisibility] = [:]
        for entry in logs.lazy.flatMap({ $0.entries(upTo: end) }) {
            let name = ByteText(entry.name)
            if latest[name].map({ $0.sequence < entry.sequence }) ?? true { latest[name] = entry }
        }
        let news = latest.values.sorted { left, right in
            left.sequence == right.sequence
                ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.sequence < right.sequence
        }
        while start < news.count, !isFull {
            let portion = news[start..<min(start + Self.portionOfGuest, news.count)]
            let found = try firstRecords(zone, seenBy: guest, parts, named: portion.map(\.name), bytes: pager.room)
            start += found.count
            for (entry, record) in zip(portion, found) {
                // Deletions from before the guest joined are not mentioned.
                guard let record else { continue }
                isFull = !pager.take(record, at: entry.sequence)
                if isFull { break }
            }
        }
        var page = StoredPage(zone: zone, records: pager.records, moreComing: pager.moreComing)
        page.reached = pager.reached
        if !pager.moreComing, end < Int64.max {
            page.moreComing = true
            page.reached = end
        }
        return page
    }

    /// The number of records in one look-up.
    private static let portionOfGuest = 100

    /// Reads several logs of a zone side by side, until they have enough entries for the page.
    ///
    /// First it reads a part of each log. Then it reads more of the logs that lag behind. So the cost depends on the
    /// size of the page and not on the number of logs.
    private func logs(
        of shares: [Int64], in zone: StoredZone, after cursor: Int64, limit: Int
    ) throws -> [GuestLog] {
        let portion = max(limit / shares.count, min(limit, 16))
        var logs: [GuestLog] = []
        for share in shares {
            var log = GuestLog(share: share, after: cursor, portion: portion)
            try readOn(&log, in: zone)
            logs.append(log)
        }
        while true {
            let end = GuestLog.end(of: logs)
            guard end < Int64.max, logs.reduce(0, { $0 + $1.entries(upTo: end).count }) < limit else { return logs }
            for index in logs.indices where logs[index].end == end { try readOn(&logs[index], in: zone) }
        }
    }

    /// Reads the next part of a log.
    private func readOn(_ log: inout GuestLog, in zone: StoredZone) throws {
        let rows: SQLText = """
            SELECT share, name, sequence, history, gone, changed FROM visibility
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND share = \(log.share)
                AND sequence > \(log.end) ORDER BY sequence
            """
        log.begin()
        try forEachRow(of: rows, inPortionsOf: min(log.portion, 2_000) + 1) { row in
            log.take(Self.visibility(row))
        }
    }
}

/// Decides which of some records a guest sees, from their entries in the log.
private struct GuestSight {
    private let entries: [ByteText: [StoredVisibility]]
    private let parts: [Int64: SharedPart]
    private let guest: SharedAccess

    init(_ entries: [StoredVisibility], of guest: SharedAccess, _ parts: [SharedPart]) {
        self.guest = guest
        let parts = Dictionary(parts.map { ($0.number, $0) }) { first, _ in first }
        self.parts = parts
        let mine = entries.filter { entry in
            parts[entry.share].map { !entry.isGone || entry.sequence > $0.since } ?? (entry.share == -guest.guestID)
        }
        self.entries = Dictionary(grouping: mine) { ByteText($0.name) }
    }

    /// The guest's shares that show a record.
    private func shares(of name: String) -> [SharedPart] {
        (entries[ByteText(name)] ?? []).compactMap { $0.isGone ? nil : parts[$0.share] }
    }

    /// The records as the guest sees them, in the order of `names`.
    ///
    /// - Parameter seen: The names of the records visible to the guest.
    /// - Parameter found: The first of the visible records.
    func view(_ names: [String], _ seen: [String], _ found: [StoredRecord?]) -> [StoredRecord?] {
        let records = Dictionary(zip(seen.map({ ByteText($0) }), found)) { first, _ in first }
        return names.map { name in
            guard var record = records[ByteText(name)] ?? nil, !record.deleted else { return deletion(of: name) }
            if hidesParent(of: name) { record.parent = nil }
            return record
        }
    }

    /// Whether any share of the guest shows the record.
    func shows(_ name: String) -> Bool { !shares(of: name).isEmpty }

    /// Whether the record's parent is hidden from the guest. The parent of a share's root is, unless another share
    /// shows both.
    func hidesParent(of name: String) -> Bool {
        shares(of: name).allSatisfy { $0.root.utf8.elementsEqual(name.utf8) }
    }

    /// The deletion of a record that the guest has seen; nil for other records.
    func deletion(of name: String) -> StoredRecord? {
        guard let last = entries[ByteText(name)]?.filter(\.isGone).max(by: { $0.sequence < $1.sequence }) else {
            return nil
        }
        return StoredRecord(
            name: name, sequence: last.sequence, history: last.history, deleted: true, flags: [], created: 0,
            createdBy: "", createdOn: "", modified: last.changed, modifiedBy: "", fields: [])
    }
}
