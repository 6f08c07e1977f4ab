import Backstitch

/// The transfers of assets that the program lets rest, as the store has noted them: a restart does not begin them.
struct TransferPauses: Sendable {
    /// Whether all rest.
    let isAll: Bool
    /// Those that rest for themselves.
    let places: Set<AssetPlace>

    init(in journal: any JournalReading) throws {
        isAll = try journal.has(.transfersPaused)
        places = Set(try journal.subjects(of: .pausedTransfer))
    }

    var isEmpty: Bool { !isAll && places.isEmpty }

    func hold(_ place: AssetPlace) -> Bool { isAll || places.contains(place) }

    /// The error for a transfer that rests.
    static func error(_ id: ObjectID, _ key: String) -> BackstitchError {
        BackstitchError(
            .syncPaused,
            "transfers of \(id).\(key) are paused; let them go on by resumeAssetTransfer(of:key:), or all by "
                + "resumeAssetTransfers()", objectID: id, key: key)
    }

    /// Why a change waits whose asset is not to be sent.
    static func reason(_ attribute: String) -> String {
        "the upload of \(attribute) is paused; the change is sent when transfers of the asset go on"
    }
}
