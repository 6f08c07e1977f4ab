import Backstitch
import CloudWire

/// A record, and when it was made.
struct ZoneAnchor: Sendable, Hashable {
    var key: ObjectKey
    /// Milliseconds since 1970, by the server's clock.
    var created: Int64

    init?(_ news: RemoteChange) {
        guard let created = news.record?.created?.timestamp else { return nil }
        (key, self.created) = (news.key, created)
    }

    /// The record of an object, as the server has answered that it has taken it.
    init?(_ key: ObjectKey, _ record: WireRecord) {
        guard !record.deleted, let created = record.created?.timestamp else { return nil }
        (self.key, self.created) = (key, created)
    }
}
