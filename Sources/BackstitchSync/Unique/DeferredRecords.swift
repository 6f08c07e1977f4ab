import Backstitch
import BackstitchSupport
import CloudWire

/// Keeps records until the end of a pull whose unique values another object here has: that object may be about to give
/// them up, and what is not true of the zone at the end must not cost anybody an object.
struct DeferredRecords {
    private var names: Set<ByteText>

    init(_ journal: any JournalReading) throws {
        names = Set(try journal.subjects(of: .deferred).map { ByteText($0) })
    }

    mutating func add(_ record: WireRecord, in journal: any JournalWriting) throws {
        names.insert(ByteText(record.recordName))
        try journal.setNote(.deferred, of: record.recordName, to: record)
    }

    /// Forgets a record of which there is newer news.
    mutating func remove(_ name: String, from journal: any JournalWriting) throws {
        guard names.remove(ByteText(name)) != nil else { return }
        try journal.removeNote(.deferred, of: name)
    }

    /// Takes all of them, in order of their names.
    static func takeAll(from journal: any JournalWriting) throws -> [WireRecord] {
        try journal.notes(.deferred).map { name, record in
            try journal.removeNote(.deferred, of: name)
            return record
        }
    }
}

extension JournalWriting {
    /// Drops what waits for the end of a pull that will not come, since everything is read from the beginning.
    func dropWaitingRecords() throws {
        try removeNotes(.deferred)
        try removeNotes(.departed)
        try removeNotes(.bereft)
    }
}
