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
    /// The mark of the record, if its object moves or has moved to another zone.
    var mark: MoveMark?

    var foreignName: String? { isForeign ? name : nil }

    init(_ record: WireRecord, zone: String) {
        name = record.recordName
        (key, isForeign) = RecordName.key(of: record.recordName, zone: zone)
        self.record = record.deleted ? nil : record
        tag = record.recordChangeTag
        mark = record.deleted ? nil : record.mark
    }

    init(deleted name: String, zone: String) {
        self.name = name
        (key, isForeign) = RecordName.key(of: name, zone: zone)
        record = nil
        tag = nil
        mark = nil
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

extension WireRecord {
    /// Whether it is a share, or has the keys of a shared zone.
    var isNoObject: Bool {
        recordType == WireShare.recordType || recordName == WireShare.zoneShareName
            || recordName == ZoneKeysDocument.recordName
    }
}
