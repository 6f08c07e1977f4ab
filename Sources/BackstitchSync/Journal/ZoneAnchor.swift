import Backstitch
import CloudWire

/// A record with the time of its creation.
struct ZoneAnchor: Sendable, Hashable {
    var key: ObjectKey
    /// Milliseconds since 1970, by the server's clock.
    var created: Int64

    init?(_ news: RemoteChange) {
        guard let created = news.record?.created?.timestamp else { return nil }
        (key, self.created) = (news.key, created)
    }

    /// The record of an object, from the server's answer to its insert.
    init?(_ key: ObjectKey, _ record: WireRecord) {
        guard !record.deleted, let created = record.created?.timestamp else { return nil }
        (self.key, self.created) = (key, created)
    }
}
