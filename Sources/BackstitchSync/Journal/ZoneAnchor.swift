import Backstitch
import CloudWire
import Foundation

/// A record of the zone, and when it was made there: in another life of the zone the same record was made later.
///
/// With a server that names no lives, and has no subscriptions that could be marked, this is all that tells a zone
/// whose token is refused from one that another device has made and filled anew.
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

/// Its key and its time.
extension ZoneAnchor: SyncPropertyValue {
    init?(storedForm: Data) {
        let parts = String(decoding: storedForm, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let key = ObjectKey(canonical: String(parts[0])), let created = Int64(parts[1]) else {
            return nil
        }
        (self.key, self.created) = (key, created)
    }

    var storedForm: Data? { Data("\(key.uuidString) \(created)".utf8) }
}

extension JournalReading {
    func zoneAnchor() throws -> ZoneAnchor? { try value(of: .anchor) }
}

extension JournalWriting {
    /// Takes a record that the server has taken as the anchor where there is none: nothing was read yet of the zone
    /// that this device has filled, and another one may fill the next.
    func keepAnchor(of reply: PushReply) throws {
        guard let anchor = reply.anchor, try !has(.incarnation), try zoneAnchor() == nil else { return }
        try set(.anchor, to: anchor)
    }

    /// Follows the anchor through news, and takes another one where it was deleted or there is none yet.
    func keepAnchor(by news: [RemoteChange]) throws {
        guard try !has(.incarnation) else { return }
        let known = try zoneAnchor()
        guard let item = known.map({ known in news.first { $0.key == known.key } }) ?? news.first else { return }
        let next = ZoneAnchor(item) ?? news.lazy.compactMap { ZoneAnchor($0) }.first
        if next != known { try set(.anchor, to: next) }
    }
}
