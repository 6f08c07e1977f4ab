import Backstitch

/// How far transfers of assets have got, and receipts of uploads whose record is not sent yet.
final class AssetTransfers: Sendable {
    /// A transfer of an attribute's bytes.
    struct Place: Hashable, Sendable {
        let key: ObjectKey
        let attribute: String
    }

    private struct State: Sendable {
        var downloads: [AssetReference: Double] = [:]
        var uploads: Set<Place> = []
    }

    private let state = Locked(State())

    /// The part of an asset that has come; nil when it is not being downloaded.
    func fraction(of reference: AssetReference) -> Double? { state.withLock { $0.downloads[reference] } }

    func isUploading(_ place: Place) -> Bool { state.withLock { $0.uploads.contains(place) } }

    func setFraction(_ fraction: Double?, of reference: AssetReference) {
        state.withLock { $0.downloads[reference] = fraction }
    }

    func setUploading(_ isUploading: Bool, _ place: Place) {
        state.withLock { state in
            if isUploading { state.uploads.insert(place) } else { state.uploads.remove(place) }
        }
    }
}
