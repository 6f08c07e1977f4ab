import Backstitch
import CloudWire

/// An object in one zone. While it moves, it may be known in two zones.
struct ZonedKey: Hashable, SyncNoteSubject {
    let zone: Int64
    let key: ObjectKey

    init(zone: Int64, key: ObjectKey) { (self.zone, self.key) = (zone, key) }

    init?(noteName: String) {
        let parts = noteName.split(separator: "/")
        guard parts.count == 2, let zone = Int64(parts[0]), let key = ObjectKey(uuidString: String(parts[1])) else {
            return nil
        }
        self.init(zone: zone, key: key)
    }

    var noteName: String { "\(zone)/\(key.uuidString)" }
}
