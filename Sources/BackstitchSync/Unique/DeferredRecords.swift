import Backstitch
import BackstitchSupport
import CloudWire

/// Keeps records until the end of a pull if another object here has their unique values. The other object may be about
/// to give them up. A conflict that no longer exists at the end must not cost any object.
struct DeferredRecords {
    private var names: Set<ByteText>

    init(_ journal: any JournalReading) throws {
        names = Set(try journal.subjects(of: .deferred).map { ByteText($0) })
    }

    mutating func add(_ record: WireRecord, in journal: any JournalWriting) throws {
        names.insert(ByteText(record.recordName))
        try journal.setNote(.deferred, of: record.recordName, to: record)
    }

    /// Forgets a record after a newer version of it has come.
    mutating func remove(_ name: String, from journal: any JournalWriting) throws {
        guard names.remove(ByteText(name)) != nil else { return }
        try journal.removeNote(.deferred, of: name)
    }

    /// Takes all deferred records, in order of their names.
    static func takeAll(from journal: any JournalWriting) throws -> [WireRecord] {
        try journal.notes(.deferred).map { name, record in
            try journal.removeNote(.deferred, of: name)
            return record
        }
    }
}

extension JournalWriting {
    /// Drops everything that waits for the end of the pull. The pull does not go on, since everything is read from the
    /// beginning.
    func dropWaitingRecords() throws {
        try removeNotes(.deferred)
        try removeNotes(.departed)
        try removeNotes(.deletedParents)
    }
}
