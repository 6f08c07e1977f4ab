import Backstitch
import BackstitchSupport
import CloudWire

/// Tells of which objects records wait, in any zone.
struct ParkedByZone {
    private let journal: any JournalReading
    private let zones: [Int64]

    init(_ journal: any JournalReading) throws {
        self.journal = journal
        zones = try ([0] + journal.zones().keys.sorted()).filter {
            try ZoneReader(journal, $0).value(of: .parkedCount) ?? 0 > 0
        }
    }

    /// Whether an object's record waits in any zone, under the name that it has in a zone to which it moves.
    func contains(_ key: ObjectKey) throws -> Bool {
        try zones.contains { try ZoneReader(journal, $0).hasNote(.parked, of: key.uuidString) }
    }
}
