import Backstitch
import CloudWire

// An insert whose answer never came may still be under way when its object is deleted, and when the server is told so:
// then there is no such record yet, and one comes afterwards. Objects that were deleted so are kept in mind, and a
// record that comes for one is deleted too.

extension SyncMetadata {
    /// The name under which it is kept that an object was deleted whose insert may still arrive.
    static func withdrawn(_ key: ObjectKey) -> String { withdrawnPrefix + key.uuidString }
}

extension JournalReading {
    /// Keys of objects that were deleted, and whose inserts may still arrive.
    func withdrawnKeys() throws -> Set<ObjectKey> {
        Set(try metadata(withPrefix: SyncMetadata.withdrawnPrefix).compactMap { ObjectKey(withdrawn: $0.key) })
    }
}

extension JournalWriting {
    /// Notes deletions whose objects' inserts may still arrive. Of old ones only some are kept: a request does not
    /// travel for ever.
    func noteWithdrawn(_ entries: [OutboxEntry]) throws {
        for entry in entries { try setNumber(entry.sequence, for: SyncMetadata.withdrawn(entry.objectID.key)) }
        let known = try metadata(withPrefix: SyncMetadata.withdrawnPrefix).map(\.key)
        guard known.count > Self.mostWithdrawn else { return }
        let byAge = try known.map { (try number(for: $0) ?? 0, $0) }.sorted { $0 < $1 }
        for (_, key) in byAge.dropLast(Self.mostWithdrawn) { try setMetadata(nil, for: key) }
    }

    private static var mostWithdrawn: Int { 500 }
}

extension RemoteChangeApplier {
    /// Sees to it that a record goes that a withdrawn insert has made.
    ///
    /// - Returns: Whether it is one.
    mutating func withdraw(_ record: WireRecord, _ news: RemoteChange) throws -> Bool {
        guard withdrawn.contains(news.key), states[news.key] == nil,
            let type = record.recordType, let entity = settings.model.entity(ofType: type)
        else { return false }
        let id = ObjectID(entityName: entity.entity.name, key: news.key)
        let sequence = try journal.lastTransactionNumber()
        notes.states.append(
            RecordState(objectID: id, foreignName: news.foreignName, changeTag: record.recordChangeTag))
        notes.entries.append(
            OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence))
        try journal.setMetadata(nil, for: SyncMetadata.withdrawn(news.key))
        result.hasUnsent = true
        return true
    }
}

extension ObjectKey {
    fileprivate init?(withdrawn name: String) {
        self.init(uuidString: String(name.dropFirst(SyncMetadata.withdrawnPrefix.count)))
    }
}
