import Backstitch

/// An attribute of an object that has an asset.
struct AssetPlace: Sendable, Hashable {
    let key: ObjectKey
    let attribute: String
}

extension AssetPlace: SyncNoteSubject {
    init?(noteName: String) {
        let parts = noteName.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let key = ObjectKey(uuidString: String(parts[0])) else { return nil }
        self.init(key: key, attribute: String(parts[1]))
    }

    var noteName: String { "\(key.uuidString)/\(attribute)" }
}
