import Backstitch
import CloudWire

/// The server's change of one record.
struct RemoteChange {
    let key: ObjectKey
    let name: String
    let isForeign: Bool
    /// The record; nil when it is deleted.
    let record: WireRecord?
    /// The version's change tag, also of a deletion; nil if the server does not send it.
    let tag: String?
    /// Of a deletion: the name of the zone that has the object's record now, empty if the server does not name it. Nil
    /// if the server tells of no move.
    let movedTo: String?
    /// Whether the server has reported the change. Otherwise it was only asked for the record.
    let isReported: Bool

    var foreignName: String? { isForeign ? name : nil }

    init(_ record: WireRecord, zone: String) {
        name = record.recordName
        (key, isForeign) = RecordName.key(of: record.recordName, zone: zone)
        self.record = record.deleted ? nil : record
        tag = record.recordChangeTag
        movedTo = record.deleted ? record.movedTo : nil
        isReported = true
    }

    /// Creates the news that a record is gone.
    ///
    /// - Parameter isReported: Whether the server has said so. Otherwise it was only asked for the record.
    init(deleted name: String, isReported: Bool = false, movedTo: String? = nil, zone: String) {
        self.name = name
        (key, isForeign) = RecordName.key(of: name, zone: zone)
        record = nil
        tag = nil
        (self.isReported, self.movedTo) = (isReported, movedTo)
    }

    /// Creates the news of a record that the server was asked for.
    init(_ found: LookedUpRecord, named name: String, zone: String) {
        switch found {
        case .record(let record): self.init(record, zone: zone)
        case .deleted(let place): self.init(deleted: name, isReported: true, movedTo: place, zone: zone)
        case .missing: self.init(deleted: name, zone: zone)
        }
    }

    /// Returns one change for each record: the last of several. Shares, and the keys of a shared zone, are no objects.
    static func list(_ records: [WireRecord], zone: String) -> [RemoteChange] {
        var news: [RemoteChange] = []
        news.reserveCapacity(records.count)
        var positions: [ObjectKey: Int] = Dictionary(minimumCapacity: records.count)
        // Indices are used because records are large: a copy would count a reference for each of its parts.
        for place in records.indices where !records[place].isNoObject {
            let item = RemoteChange(records[place], zone: zone)
            if let position = positions[item.key] {
                news[position] = item
            } else {
                positions[item.key] = news.count
                news.append(item)
            }
        }
        return news
    }
}

extension RemoteChange {
    /// Whether the server has written this version after it went back to an earlier state, and the known version
    /// before. Only tags of this project's server tell.
    func isOfLaterHistory(than known: String?) -> Bool {
        guard let known = known.flatMap({ ChangeTag($0) }), let tag = tag.flatMap({ ChangeTag($0) }) else {
            return false
        }
        return known.history > 0 && tag.history > known.history
    }
}

extension WireRecord {
    /// Whether it is a share, or has the keys of a shared zone.
    var isNoObject: Bool {
        recordType == WireShare.recordType || recordName == WireShare.zoneShareName
            || recordName == ZoneKeysDocument.recordName
    }
}
