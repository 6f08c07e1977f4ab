import Backstitch
import CloudWire
import Foundation

/// Keeps the records that cannot become objects yet, whole and with the reason.
struct ParkedRecords {
    private(set) var count: Int64
    private let countBefore: Int64

    init(_ journal: any JournalReading) throws {
        count = try journal.number(for: SyncMetadata.parkedCount) ?? 0
        countBefore = count
    }

    mutating func park(
        _ record: WireRecord, reason: String, in journal: any JournalWriting
    ) throws -> ParkedRecord {
        let key = SyncMetadata.parkedPrefix + record.recordName
        if try journal.metadata(for: key) == nil { count += 1 }
        let line = reason.split(separator: "\n").joined(separator: " ")
        try journal.setMetadata(Data("\(line)\n".utf8) + Data(try record.wireJSON()), for: key)
        return ParkedRecord(recordName: record.recordName, recordType: record.recordType, reason: line)
    }

    mutating func remove(_ name: String, from journal: any JournalWriting) throws {
        guard count > 0 else { return }
        let key = SyncMetadata.parkedPrefix + name
        guard try journal.metadata(for: key) != nil else { return }
        try journal.setMetadata(nil, for: key)
        count -= 1
    }

    func writeCount(to journal: any JournalWriting) throws {
        if count != countBefore { try journal.setNumber(count == 0 ? nil : count, for: SyncMetadata.parkedCount) }
    }

    /// All of them, in order of their names.
    static func all(in journal: any JournalReading) throws -> [ParkedRecord] {
        try journal.metadata(withPrefix: SyncMetadata.parkedPrefix).map { key, value in
            let lines = value.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
            let record = try lines.count == 2 ? WireRecord(wireJSON: Array(lines[1])) : nil
            return ParkedRecord(
                recordName: String(key.dropFirst(SyncMetadata.parkedPrefix.count)), recordType: record?.recordType,
                reason: String(decoding: lines.first ?? Data(), as: UTF8.self))
        }
    }
}
