import Backstitch
import CloudWire

// An insert whose answer never came may still be under way when its object is deleted, and when the server is told so:
// then there is no such record yet, and one comes afterwards. Objects that were deleted so are kept in mind, and a
// record that comes for one is deleted too.

extension JournalReading {
    /// Keys of objects that were deleted, and whose inserts may still arrive.
    func withdrawnKeys() throws -> Set<ObjectKey> { Set(try subjects(of: .withdrawn)) }
}

extension JournalWriting {
    /// Notes objects that were deleted, and whose inserts may still arrive. Of old ones only some are kept: a request
    /// does not travel for ever.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func noteWithdrawn(_ keys: [ObjectKey], at now: Int64) throws {
        for key in keys { try setNote(.withdrawn, of: key, to: now) }
        let known = try notes(.withdrawn)
        guard known.count > Self.mostWithdrawn else { return }
        let byAge = known.sorted { ($0.value, $0.subject) < ($1.value, $1.subject) }
        for (key, _) in byAge.dropLast(Self.mostWithdrawn) { try removeNote(.withdrawn, of: key) }
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
        try journal.removeNote(.withdrawn, of: news.key)
        result.hasUnsent = true
        return true
    }
}
