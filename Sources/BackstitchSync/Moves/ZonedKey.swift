import Backstitch

/// An object in one zone. While it moves, it may be known in two zones.
struct ZonedKey: Hashable, Comparable {
    let zone: Int64
    let key: ObjectKey

    static func < (left: ZonedKey, right: ZonedKey) -> Bool { (left.key, left.zone) < (right.key, right.zone) }
}
