import Backstitch
import CloudWire
import Foundation

/// Some records of the zone, with the times of their creation there. In another life of the zone the same records have
/// later times.
///
/// A server may name no lives, and have no subscriptions for marks. If such a server refuses the token, only these
/// anchors tell the old zone from a new one, made and filled by another device. Several anchors are kept, since this
/// device may itself delete one in either zone.
struct ZoneAnchors: Sendable, Hashable {
    /// Milliseconds since 1970, by the server's clock.
    private(set) var created: [ObjectKey: Int64] = [:]

    private static let most = 8

    init() {}

    /// Adds a record if there is room. The first records stay: this device has known their times longest.
    mutating func add(_ anchor: ZoneAnchor) {
        guard created.count < Self.most, created[anchor.key] == nil else { return }
        created[anchor.key] = anchor.created
    }

    /// Updates the anchors from incoming changes. Adds records if some were deleted, or there are few yet.
    mutating func follow(_ news: [RemoteChange]) {
        for item in news {
            if created[item.key] != nil {
                created[item.key] = ZoneAnchor(item)?.created
            } else if created.count < Self.most, let anchor = ZoneAnchor(item) {
                add(anchor)
            }
        }
    }

    /// Whether an anchor has another creation time than the known one.
    func isOfAnotherLife(_ news: [RemoteChange]) -> Bool {
        guard !created.isEmpty else { return false }
        return news.contains { item in
            guard let known = created[item.key], let now = ZoneAnchor(item) else { return false }
            return now.created != known
        }
    }
}

/// Stored as one line for each anchor, with its key and its time.
extension ZoneAnchors: SyncPropertyValue {
    init?(storedForm: Data) {
        for line in String(decoding: storedForm, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let key = ObjectKey(canonical: String(parts[0])), let made = Int64(parts[1]) else {
                return nil
            }
            created[key] = made
        }
    }

    var storedForm: Data? {
        let lines = created.sorted { $0.key < $1.key }.map { "\($0.key.uuidString) \($0.value)" }
        return Data(lines.joined(separator: "\n").utf8)
    }
}

extension JournalReading {
    func zoneAnchors() throws -> ZoneAnchors { try value(of: .anchors) ?? ZoneAnchors() }
}

extension JournalWriting {
    /// Adds a record accepted by the server as an anchor. Nothing was read yet of a zone filled by this device, and
    /// another device may fill the next zone.
    func keepAnchors(of reply: PushReply) throws {
        guard let anchor = reply.anchor else { return }
        try changeAnchors { $0.add(anchor) }
    }

    func keepAnchors(by news: [RemoteChange]) throws {
        guard !news.isEmpty else { return }
        try changeAnchors { $0.follow(news) }
    }

    private func changeAnchors(_ change: (inout ZoneAnchors) -> Void) throws {
        guard try !has(.incarnation) else { return }
        let known = try zoneAnchors()
        var next = known
        change(&next)
        if next != known { try set(.anchors, to: next) }
    }
}
