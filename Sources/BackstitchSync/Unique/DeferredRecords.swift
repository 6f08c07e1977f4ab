import Backstitch
import CloudWire
import Foundation

/// Keeps records until the end of a pull whose unique values another object here has: that object may be about to give
/// them up, and what is not true of the zone at the end must not cost anybody an object.
struct DeferredRecords {
    private var names: Set<String>

    init(_ journal: any JournalReading) throws {
        names = Set(
            try journal.metadata(withPrefix: SyncMetadata.deferredPrefix).map {
                String($0.key.dropFirst(SyncMetadata.deferredPrefix.count))
            })
    }

    mutating func add(_ record: WireRecord, in journal: any JournalWriting) throws {
        names.insert(record.recordName)
        try journal.setMetadata(Data(try record.wireJSON()), for: SyncMetadata.deferredPrefix + record.recordName)
    }

    /// Forgets a record of which there is newer news.
    mutating func remove(_ name: String, from journal: any JournalWriting) throws {
        guard names.remove(name) != nil else { return }
        try journal.setMetadata(nil, for: SyncMetadata.deferredPrefix + name)
    }

    /// Takes all of them, in order of their names.
    static func takeAll(from journal: any JournalWriting) throws -> [WireRecord] {
        try journal.metadata(withPrefix: SyncMetadata.deferredPrefix).map { key, value in
            try journal.setMetadata(nil, for: key)
            return try WireRecord(wireJSON: Array(value))
        }
    }
}

/// Objects that are gone from the server, and whose unique values a record has that came along with that news: it takes
/// their place.
enum DepartedObjects {
    static func add(_ id: ObjectID, to journal: any JournalWriting) throws {
        try journal.setText(id.entityName, for: SyncMetadata.departedPrefix + id.key.uuidString)
    }

    static func remove(_ key: ObjectKey, from journal: any JournalWriting) throws {
        try journal.setMetadata(nil, for: SyncMetadata.departedPrefix + key.uuidString)
    }

    static func all(in journal: any JournalReading) throws -> [ObjectKey: ObjectID] {
        var all: [ObjectKey: ObjectID] = [:]
        for (name, entity) in try journal.metadata(withPrefix: SyncMetadata.departedPrefix) {
            guard let key = ObjectKey(uuidString: String(name.dropFirst(SyncMetadata.departedPrefix.count))) else {
                continue
            }
            all[key] = ObjectID(entityName: String(decoding: entity, as: UTF8.self), key: key)
        }
        return all
    }
}

extension JournalWriting {
    /// Drops what waits for the end of a pull that will not come, since everything is read from the beginning.
    func dropWaitingRecords() throws {
        for prefix in [SyncMetadata.deferredPrefix, SyncMetadata.departedPrefix] {
            for (key, _) in try metadata(withPrefix: prefix) { try setMetadata(nil, for: key) }
        }
    }
}
