import Backstitch
import BackstitchSupport

/// How far transfers of assets have got, and receipts of uploads whose record is not sent yet.
final class AssetTransfers: Sendable {
    /// A transfer of an attribute's bytes.
    struct Place: Hashable, Sendable {
        let key: ObjectKey
        let attribute: String
    }

    private struct State: Sendable {
        var downloads: [AssetReference: Double] = [:]
        var uploads: [Place: Double] = [:]
        var watchers: [Int: Watcher] = [:]
        var next = 0
    }

    private struct Watcher: Sendable {
        let reference: AssetReference
        let tell: @Sendable (Double) -> Void
    }

    private let state = Locked(State())

    /// The part of an asset that has come; nil when it is not being downloaded.
    func fraction(of reference: AssetReference) -> Double? { state.withLock { $0.downloads[reference] } }

    /// Whether bytes are on their way, either way.
    func isBusy(_ reference: AssetReference, at uses: [AssetUsageIndex.Use]) -> Bool {
        state.withLock { state in
            state.downloads[reference] != nil
                || uses.contains { state.uploads[Place(key: $0.objectID.key, attribute: $0.attribute)] != nil }
        }
    }

    /// The part of an asset that the server has; nil when it is not on its way there.
    func uploaded(_ place: Place) -> Double? { state.withLock { $0.uploads[place] } }

    func setFraction(_ fraction: Double?, of reference: AssetReference) {
        let watchers = state.withLock { state in
            // Pieces are counted from where they begin, so that nothing falls back.
            state.downloads[reference] = fraction.map { max($0, state.downloads[reference] ?? 0) }
            return state.watchers.values.filter { $0.reference == reference }
        }
        if let fraction, fraction > 0 { for watcher in watchers { watcher.tell(fraction) } }
    }

    /// Tells how a download gets on, until ``unwatch(_:)``.
    func watch(_ reference: AssetReference, _ tell: @escaping @Sendable (Double) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.watchers[state.next] = Watcher(reference: reference, tell: tell)
            return state.next
        }
    }

    func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    /// - Parameter fraction: The part that the server has; nil when the upload is over.
    func setUploaded(_ fraction: Double?, _ place: Place) { state.withLock { $0.uploads[place] = fraction } }
}
