import Backstitch
import BackstitchSupport

/// The progress of all transfers of assets, singly and together.
final class AssetTransfers: Sendable {
    /// The upload of an attribute's bytes.
    struct Upload: Hashable, Sendable {
        let place: AssetPlace
        let reference: AssetReference
    }

    private struct State: Sendable {
        var downloads: [AssetReference: Double] = [:]
        var uploads: [AssetPlace: Double] = [:]
        var watchers: [Int: Watcher] = [:]
        var next = 0
        var downloadRun = TransferRun<AssetReference>()
        var uploadRun = TransferRun<Upload>()
    }

    private struct Watcher: Sendable {
        let reference: AssetReference
        let tell: @Sendable (Double) -> Void
    }

    private let state = Locked(State())
    private let bell: ObjectStateSignal

    /// - Parameter bell: Rings when a transfer has made progress.
    init(_ bell: ObjectStateSignal) { self.bell = bell }

    /// Returns the downloaded part of an asset, from 0 to 1; nil if it is not being downloaded.
    func fraction(of reference: AssetReference) -> Double? { state.withLock { $0.downloads[reference] } }

    /// Returns whether the bytes are being downloaded or uploaded.
    func isBusy(_ reference: AssetReference, at uses: [AssetUsageIndex.Use]) -> Bool {
        state.withLock { state in
            state.downloads[reference] != nil
                || uses.contains { state.uploads[AssetPlace(key: $0.objectID.key, attribute: $0.attribute)] != nil }
        }
    }

    /// Returns the uploaded part of an asset, from 0 to 1; nil if it is not being uploaded.
    func uploaded(_ place: AssetPlace) -> Double? { state.withLock { $0.uploads[place] } }

    /// All running transfers, with their finished parts.
    var underWay: (downloads: [AssetReference: Double], uploads: [AssetPlace: Double]) {
        state.withLock { ($0.downloads, $0.uploads) }
    }

    func setFraction(_ fraction: Double?, of reference: AssetReference) {
        let (watchers, now, gotOn) = state.withLock { state in
            let before = state.downloads[reference]
            // A repeated piece is counted from its start, but the fraction never falls.
            let now = fraction.map { max($0, before ?? 0) }
            state.downloads[reference] = now
            return (state.watchers.values.filter { $0.reference == reference }, now, Self.hasGotOn(before, now))
        }
        if let now, now > 0 { for watcher in watchers { watcher.tell(now) } }
        if gotOn { bell.ring() }
    }

    /// Reports the progress of a download until ``unwatch(_:)``.
    func watch(_ reference: AssetReference, _ tell: @escaping @Sendable (Double) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.watchers[state.next] = Watcher(reference: reference, tell: tell)
            return state.next
        }
    }

    func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    /// - Parameter fraction: The part that the server has; nil when the upload is over.
    func setUploaded(_ fraction: Double?, _ place: AssetPlace) {
        let gotOn = state.withLock { state in
            defer { state.uploads[place] = fraction }
            return Self.hasGotOn(state.uploads[place], fraction)
        }
        if gotOn { bell.ring() }
    }

    /// Returns whether a change is large enough to report: a hundredth, a beginning or an end.
    private static func hasGotOn(_ before: Double?, _ now: Double?) -> Bool {
        guard let before, let now else { return before != now }
        return Int(before * 100) != Int(now * 100)
    }
}

// The totals of all transfers.
extension AssetTransfers {
    /// The progress of all transfers together.
    var progress: AssetTransferProgress {
        state.withLock { state in
            var downloads = AssetTransferProgress.Part(state.downloadRun)
            for (reference, fraction) in state.downloads {
                downloads.size += Int64(Double(state.downloadRun.openSize(reference) ?? 0) * fraction)
            }
            var uploads = AssetTransferProgress.Part(state.uploadRun)
            for upload in state.uploadRun.open where state.uploads[upload.place] != nil {
                let part = Double(upload.reference.size) * (state.uploads[upload.place] ?? 0)
                uploads.size += Int64(part)
            }
            return AssetTransferProgress(downloads: downloads, uploads: uploads)
        }
    }

    /// Counts downloads as expected until `work` has ended.
    func expecting<Value>(_ references: [AssetReference], _ work: () async throws -> Value) async throws -> Value {
        state.withLock { state in
            for reference in references { state.downloadRun.expect(reference, size: reference.size) }
        }
        defer {
            state.withLock { state in
                for reference in references { state.downloadRun.leave(reference) }
            }
            bell.ring()
        }
        bell.ring()
        return try await work()
    }

    func downloaded(_ reference: AssetReference) { state.withLock { $0.downloadRun.finish(reference) } }

    /// Whether uploads of this push are already counted.
    var areUploadsExpected: Bool { state.withLock { $0.uploadRun.isUnderWay } }

    /// Counts the expected uploads of this push, each once.
    func expect(_ uploads: [Upload]) {
        state.withLock { state in
            for upload in uploads where !state.uploadRun.knows(upload) {
                state.uploadRun.expect(upload, size: upload.reference.size)
            }
        }
        bell.ring()
    }

    func uploaded(_ upload: Upload) { state.withLock { $0.uploadRun.finish(upload) } }

    /// Ends the count of all uploads, because the push is over.
    func endUploads() { state.withLock { $0.uploadRun.leaveAll() } }
}

extension AssetTransferProgress.Part {
    fileprivate init(_ run: TransferRun<some Hashable & Sendable>) {
        self.init(count: run.count, totalCount: run.totalCount, size: run.size, totalSize: run.totalSize)
    }
}
