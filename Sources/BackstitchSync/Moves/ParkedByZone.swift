import Backstitch
import BackstitchSupport
import CloudWire

/// Tells whether an object has a parked record, in any zone.
struct ParkedByZone {
    private let journal: any JournalReading
    private let zones: [Int64]
    private let isOfOthers: Bool

    /// - Parameter isOfOthers: Whether the zones belong to other users.
    init(_ journal: any JournalReading, isOfOthers: Bool) throws {
        self.isOfOthers = isOfOthers
        self.journal = journal
        zones = try ([0] + journal.zones().keys.sorted()).filter {
            try ZoneReader(journal, $0).value(of: .parkedCount) ?? 0 > 0
        }
    }

    /// Whether a zone has a parked record named by the key of an object of another zone, as every moved record is.
    /// Zones of other owners have no such records.
    ///
    /// - Parameter others: Zones that are left out.
    func contains(_ subject: ZonedKey, besides others: Set<Int64>) throws -> Bool {
        try zones.contains { zone in
            try !others.contains(zone) && owner(of: zone) == owner(of: subject.zone)
                && ZoneReader(journal, zone).hasNote(.parked, of: subject.key.uuidString)
        }
    }

    /// The owner in the name of a zone of another user; nil for this user's zones.
    private func owner(of zone: Int64) throws -> Substring? {
        guard isOfOthers else { return nil }
        return try journal.name(ofZone: zone)?.split(separator: "/").first
    }
}
