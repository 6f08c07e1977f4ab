import Backstitch
import CloudWire
import Foundation

/// Records of the zone, and when they were made there: in another life of the zone the same records were made later.
///
/// With a server that names no lives, and has no subscriptions that could be marked, this is all that tells a zone
/// whose token is refused from one that another device has made and filled anew. Several, since this device may itself
/// delete one of them, in the one or in the other.
struct ZoneAnchors: Sendable, Hashable {
    /// Milliseconds since 1970, by the server's clock.
    private(set) var created: [ObjectKey: Int64] = [:]

    private static let most = 8

    init() {}

    /// Takes a record as one of them where there is room: of the first ones the device knows longest when they were
    /// made.
    mutating func add(_ anchor: ZoneAnchor) {
        guard created.count < Self.most, created[anchor.key] == nil else { return }
        created[anchor.key] = anchor.created
    }

    /// Follows them through news, and takes others where some were deleted or there are few yet.
    mutating func follow(_ news: [RemoteChange]) {
        for item in news {
            if created[item.key] != nil {
                created[item.key] = ZoneAnchor(item)?.created
            } else if created.count < Self.most, let anchor = ZoneAnchor(item) {
                add(anchor)
            }
        }
    }

    /// Whether one of them was made at another time than it is known to have been.
    func isOfAnotherLife(_ news: [RemoteChange]) -> Bool {
        guard !created.isEmpty else { return false }
        return news.contains { item in
            guard let known = created[item.key], let now = ZoneAnchor(item) else { return false }
            return now.created != known
        }
    }
}

/// A line for each, with its key and its time.
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
    /// Takes a record that the server has taken as an anchor: nothing was read yet of the zone that this device has
    /// filled, and another one may fill the next.
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
