import Backstitch

/// The transfers of assets that the program has paused. The store records them, so they stay paused after a restart.
struct TransferPauses: Sendable {
    /// Whether all transfers are paused.
    let isAll: Bool
    /// The places that are paused individually.
    let places: Set<AssetPlace>

    init(in journal: any JournalReading) throws {
        isAll = try journal.has(.transfersPaused)
        places = Set(try journal.subjects(of: .pausedTransfer))
    }

    var isEmpty: Bool { !isAll && places.isEmpty }

    func hold(_ place: AssetPlace) -> Bool { isAll || places.contains(place) }

    /// Creates the error for a paused transfer.
    static func error(_ id: ObjectID, _ key: String) -> BackstitchError {
        BackstitchError(
            .syncPaused,
            "transfers of \(id).\(key) are paused; let them go on with sync.assets.resume(_:of:), or all with "
                + "sync.assets.resume()", objectID: id, key: key)
    }

    /// Returns the reason of a change that waits because its asset is paused.
    static func reason(_ attribute: String) -> String {
        "the upload of \(attribute) is paused; the change is sent when transfers of the asset go on"
    }
}
