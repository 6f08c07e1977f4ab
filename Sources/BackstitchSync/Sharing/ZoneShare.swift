import Backstitch
import CloudWire

// A zone's share as the store remembers it: with whom the zone is shared, and in a zone of somebody else, what the user
// may do there.

extension SyncProperty where Value == WireRecord {
    /// The record of the zone's share.
    static var share: Self { Self(name: "sync.share") }
}

extension JournalWriting {
    /// Takes note of the share that a page brings, or of its end.
    ///
    /// - Returns: Whether it is another one than before.
    func noteShare(in page: FetchedPage, _ settings: ApplySettings) throws -> Bool {
        // A read from the beginning brings it, or there is none.
        if page.base == nil, try has(.share) { try remove(.share) }
        guard let record = page.records.last(where: { $0.recordName == WireShare.zoneShareName }) else { return false }
        return try noteShare(record.deleted ? nil : record, settings)
    }

    /// Takes note of the zone's share as the server has it, nil for none.
    ///
    /// - Returns: Whether it is another one than before.
    func noteShare(_ record: WireRecord?, _ settings: ApplySettings) throws -> Bool {
        let isNew = try value(of: .share) != record
        if isNew { try set(.share, to: record) }
        guard settings.isOfOthers else { return isNew }
        let permission = record?.share?.currentUserParticipant?.permission
        try setReadOnly(permission != .readWrite, zone: settings.zoneNumber)
        return isNew
    }
}
