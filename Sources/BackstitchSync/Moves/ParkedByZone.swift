import Backstitch
import BackstitchSupport
import CloudWire

/// Tells whether an object has a parked record, in any zone.
struct ParkedByZone {
    private let journal: any JournalReading
    private let zones: [Int64]

    init(_ journal: any JournalReading) throws {
        self.journal = journal
        zones = try ([0] + journal.zones().keys.sorted()).filter {
            try ZoneReader(journal, $0).value(of: .parkedCount) ?? 0 > 0
        }
    }

    /// Whether any zone has a parked record named by the object's key, as every moved record is.
    ///
    /// - Parameter others: Zones that are left out.
    func contains(_ key: ObjectKey, besides others: Set<Int64>) throws -> Bool {
        try zones.contains { try !others.contains($0) && ZoneReader(journal, $0).hasNote(.parked, of: key.uuidString) }
    }
}
