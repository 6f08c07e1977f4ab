import Backstitch
import CloudWire

/// What the server says of one record.
struct ServerNews {
    let key: ObjectKey
    let name: String
    let isForeign: Bool
    /// The record; nil when it is deleted.
    let record: WireRecord?

    var foreignName: String? { isForeign ? name : nil }

    init(_ record: WireRecord, zone: String) {
        name = record.recordName
        (key, isForeign) = RecordName.key(of: record.recordName, zone: zone)
        self.record = record.deleted ? nil : record
    }

    init(deleted name: String, zone: String) {
        self.name = name
        (key, isForeign) = RecordName.key(of: name, zone: zone)
        record = nil
    }

    /// News of each record once: the last of several.
    static func list(_ records: [WireRecord], zone: String) -> [ServerNews] {
        var news: [ServerNews] = []
        news.reserveCapacity(records.count)
        var positions: [ObjectKey: Int] = Dictionary(minimumCapacity: records.count)
        for record in records {
            let item = ServerNews(record, zone: zone)
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
