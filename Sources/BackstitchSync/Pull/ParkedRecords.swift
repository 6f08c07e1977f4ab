import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// Stores the complete records that cannot become objects yet, with the reasons.
struct ParkedRecords {
    private(set) var count: Int64
    private let countBefore: Int64

    init(_ journal: any JournalReading) throws {
        count = try journal.value(of: .parkedCount) ?? 0
        countBefore = count
    }

    mutating func park(
        _ record: WireRecord, reason: String, awaiting key: AwaitedKey? = nil, awaitsBytes: Bool = false,
        awaitsValues: Bool = false, hasTakenKey: Bool = false, in journal: any JournalWriting
    ) throws -> ParkedRecord {
        if try !journal.hasNote(.parked, of: record.recordName) { count += 1 }
        let line = reason.split(atByte: UInt8(ascii: "\n")).joined(separator: " ")
        try journal.setNote(.parked, of: record.recordName, to: ParkedNote(reason: line, record: record))
        if try key != nil || journal.hasNote(.awaitedKey, of: record.recordName) {
            try journal.setNote(.awaitedKey, of: record.recordName, to: key)
        }
        if awaitsBytes, try !journal.hasNote(.awaitedBytes, of: record.recordName) {
            try journal.setNote(.awaitedBytes, of: record.recordName, to: 0)
        }
        if try awaitsValues || journal.hasNote(.awaitedValues, of: record.recordName) {
            try journal.setNote(.awaitedValues, of: record.recordName, to: awaitsValues ? true : nil)
        }
        if try hasTakenKey || journal.hasNote(.takenKeys, of: record.recordName) {
            try journal.setNote(.takenKeys, of: record.recordName, to: hasTakenKey ? true : nil)
        }
        return ParkedRecord(
            recordName: record.recordName, recordType: record.recordType, reason: line, keyID: key?.id)
    }

    /// - Returns: Whether there was such a record.
    @discardableResult
    mutating func remove(_ name: String, from journal: any JournalWriting) throws -> Bool {
        guard count > 0 else { return false }
        guard try journal.hasNote(.parked, of: name) else { return false }
        try journal.removeNote(.parked, of: name)
        try journal.removeNote(.awaitedKey, of: name)
        try journal.removeNote(.awaitedBytes, of: name)
        try journal.removeNote(.awaitedValues, of: name)
        try journal.removeNote(.takenKeys, of: name)
        count -= 1
        return true
    }

    func writeCount(to journal: any JournalWriting) throws {
        if count != countBefore { try journal.set(.parkedCount, to: count == 0 ? nil : count) }
    }

    /// Returns all parked records, in order of their names.
    static func all(in journal: any JournalReading) throws -> [ParkedRecord] {
        let keys = Dictionary(try journal.notes(.awaitedKey).map { ($0, $1.id) }, uniquingKeysWith: { $1 })
        return try journal.notes(.parked).map { name, note in
            ParkedRecord(
                recordName: name, recordType: note.record?.recordType, reason: note.reason, keyID: keys[name])
        }
    }
}

extension JournalWriting {
    /// Forgets all parked records, because their zone is gone.
    func dropParkedRecords() throws {
        try removeNotes(.parked)
        try removeNotes(.awaitedKey)
        try removeNotes(.awaitedBytes)
        try removeNotes(.awaitedValues)
        try removeNotes(.takenKeys)
        try remove(.parkedCount)
    }

    /// Forgets the parked records that a full fetch has not met.
    ///
    /// - Parameter seen: The keys of the met records.
    /// - Parameter zone: The zone's name on the server.
    /// - Returns: The keys of the forgotten records.
    func dropParkedRecords(exceptFor seen: Set<ObjectKey>, zone: String) throws -> [ObjectKey] {
        var parked = try ParkedRecords(self), gone: [ObjectKey] = []
        for name in try subjects(of: .parked) {
            let key = RecordName.key(of: name, zone: zone).key
            guard !seen.contains(key), try parked.remove(name, from: self) else { continue }
            gone.append(key)
        }
        try parked.writeCount(to: self)
        return gone
    }
}

extension JournalReading {
    /// Returns the number of parked records in all zones.
    package func parkedRecordCount() throws -> Int {
        try allZones().reduce(0) { try $0 + Int(ZoneReader(self, $1).value(of: .parkedCount) ?? 0) }
    }

    /// Returns the reasons of the parked records of all zones, by the keys of their objects. It reads nothing in zones
    /// without any.
    ///
    /// - Parameter onServer: The names of the store's zones.
    func parkedReasons(_ onServer: ZoneNames) throws -> [ObjectKey: String] {
        var reasons: [ObjectKey: String] = [:]
        let names = try zones()
        for zone in try allZones() {
            let reader = ZoneReader(self, zone)
            guard try reader.has(.parkedCount) else { continue }
            let place = names[zone].map { onServer.place(of: onServer.onServer($0)) } ?? onServer.main
            for record in try ParkedRecords.all(in: reader) {
                reasons[RecordName.key(of: record.recordName, zone: place).key] = record.reason
            }
        }
        return reasons
    }
}
