import Backstitch
import BackstitchSupport
import CloudWire

/// The uploads that changes wait for, and the results of ended ones until their records are sent. They are kept in
/// memory only. After a restart the outbox still has the changes, and the server knows how much of the bytes it has.
final class HeldUploads: Sendable {
    /// The result of an upload: the server's receipt, or the reason why it rejects the bytes.
    typealias Outcome = Result<WireAsset, RecordFault>

    private struct Awaited: Sendable {
        let zone: Int64
        var uploads: [SyncServices.Upload]
        /// Whether it was told to stop. Its changes then wait for another try.
        var isStopped = false
        var cancel: (@Sendable () -> Void)?
    }

    private struct Ended: Sendable {
        let zone: Int64
        let upload: SyncServices.Upload
        let outcome: Outcome
        /// The clock's uptime at the end.
        var time: Int64
    }

    private struct State: Sendable {
        var perBatch: Int64 = 4 << 20
        var awaited: [Int: Awaited] = [:]
        /// Objects whose changes wait for those of their parents, with the parent and the zone.
        var below: [ObjectKey: (parent: ObjectKey, zone: Int64)] = [:]
        var ended: [AssetPlace: Ended] = [:]
        /// Uploads without a change when their turn came. If a batch needs one after all, the batch uploads it.
        var passed: [AssetPlace: SyncServices.Upload] = [:]
        var next = 0

        func isAwaited(_ key: ObjectKey) -> Bool {
            awaited.values.contains { $0.uploads.contains { $0.place.key == key } }
        }

        /// Releases the changes whose parents no longer wait.
        mutating func releaseBelow() {
            var hasChanged = true
            while hasChanged {
                let free = below.filter { !isAwaited($0.value.parent) && below[$0.value.parent] == nil }.keys
                for key in free { below[key] = nil }
                hasChanged = !free.isEmpty
            }
        }
    }

    /// The lifetime of a receipt, in milliseconds. A server keeps bytes without a record for a limited time only.
    private static let validity: Int64 = 300_000

    private let state = Locked(State())

    /// The most bytes of assets in one batch, and in one held upload. Changes with larger assets wait for an upload.
    var perBatch: Int64 {
        get { state.withLock(\.perBatch) }
        set { state.withLock { $0.perBatch = newValue } }
    }

    /// Returns the objects of a zone whose changes wait.
    func keys(inZone zone: Int64) -> Set<ObjectKey> {
        state.withLock { state in
            if state.awaited.isEmpty { return [] }
            let held = state.awaited.values.filter { $0.zone == zone }.flatMap { $0.uploads.map(\.place.key) }
            return Set(held).union(state.below.filter { $0.value.zone == zone }.keys)
        }
    }

    /// The uploads that have not ended, each with the number of its held upload and the zone.
    var open: [(number: Int, zone: Int64, upload: SyncServices.Upload)] {
        state.withLock { state in
            state.awaited.flatMap { number, awaited in awaited.uploads.map { (number, awaited.zone, $0) } }
        }
    }

    /// Returns the uploads of a held upload.
    func uploads(of held: HeldUpload) -> [SyncServices.Upload] {
        state.withLock { $0.awaited[held.number]?.uploads ?? [] }
    }

    /// Returns whether a change waits for an upload. If not, the batch uploads the bytes itself.
    func holds(_ upload: SyncServices.Upload) -> Bool {
        state.withLock { state in state.passed[upload.place].map { !$0.isSame(as: upload) } ?? true }
    }

    /// Returns the result of an upload; nil if it has not ended, or ended too long ago.
    func outcome(of upload: SyncServices.Upload, inZone zone: Int64, at time: Int64) -> Outcome? {
        state.withLock { state in
            guard let ended = state.ended[upload.place], ended.zone == zone, ended.upload.isSame(as: upload),
                time - ended.time < Self.validity
            else { return nil }
            return ended.outcome
        }
    }

    /// Returns the key that encrypted the bytes in an earlier upload of the same asset.
    func contentKey(of reference: AssetReference, at place: AssetPlace) -> AssetContentKey? {
        state.withLock { state in
            if let upload = state.ended[place]?.upload, upload.reference == reference { return upload.contentKey }
            return state.awaited.values.lazy.flatMap(\.uploads)
                .first { $0.place == place && $0.reference == reference }?.contentKey
        }
    }

    /// Forgets the results of uploads.
    func forget(_ places: some Sequence<AssetPlace>) {
        state.withLock { state in
            for place in places { (state.ended[place], state.passed[place]) = (nil, nil) }
        }
    }
}

// The beginning of an upload.
extension HeldUploads {
    /// Makes changes wait for uploads.
    ///
    /// - Parameter sharesReceipts: Whether a receipt is valid for all records with the same bytes in the same field.
    /// - Parameter most: The most uploads that are held together.
    /// - Returns: The held uploads to begin.
    func hold(_ heldBack: HeldBack, inZone zone: Int64, sharesReceipts: Bool, most: Int) -> [HeldUpload] {
        state.withLock { state in
            var begun: [Int] = []
            var size: Int64 = 0
            for upload in heldBack.uploads {
                state.passed[upload.place] = nil
                let same = state.awaited.first { _, awaited in
                    awaited.zone == zone
                        && awaited.uploads.contains {
                            $0.isSame(as: upload) || sharesReceipts && $0.hasBytes(of: upload)
                        }
                }
                if let (number, awaited) = same {
                    if !awaited.uploads.contains(where: { $0.isSame(as: upload) }) {
                        state.awaited[number]?.uploads.append(upload)
                    }
                } else if let number = begun.last, size + upload.reference.size <= state.perBatch,
                    state.awaited[number]?.uploads.count ?? most < most
                {
                    size += upload.reference.size
                    state.awaited[number]?.uploads.append(upload)
                } else {
                    state.next += 1
                    size = upload.reference.size
                    state.awaited[state.next] = Awaited(zone: zone, uploads: [upload])
                    begun.append(state.next)
                }
            }
            for (key, parent) in heldBack.below { state.below[key] = (parent, zone) }
            state.releaseBelow()
            return begun.map { number in
                HeldUpload(number: number, zone: zone, keys: state.awaited[number]?.uploads.map(\.place.key) ?? [])
            }
        }
    }

    /// Runs the upload, unless it is stopped meanwhile.
    ///
    /// - Parameter executor: The executor of the upload; nil for the default one.
    func run<Value: Sendable>(
        _ held: HeldUpload, on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: executor) { try await work() }
        let isStopped = state.withLock { state in
            state.awaited[held.number]?.cancel = { task.cancel() }
            return state.awaited[held.number]?.isStopped ?? true
        }
        if isStopped { task.cancel() }
        defer {
            // A stop applies to this run only, not to the next try.
            state.withLock { state in
                state.awaited[held.number]?.cancel = nil
                state.awaited[held.number]?.isStopped = false
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

// The end of an upload.
extension HeldUploads {
    /// Stops running uploads. Their changes wait for another try.
    func stop(_ uploads: [HeldUpload]) {
        let cancels = state.withLock { state in
            uploads.compactMap { upload in
                state.awaited[upload.number]?.isStopped = true
                return state.awaited[upload.number]?.cancel
            }
        }
        for cancel in cancels { cancel() }
    }

    /// Cancels and removes uploads that no change waits for.
    func drop(_ numbers: Set<Int>) {
        let cancels = state.withLock { state in
            defer { state.releaseBelow() }
            return numbers.compactMap { state.awaited.removeValue(forKey: $0)?.cancel }
        }
        for cancel in cancels { cancel() }
    }

    /// Returns whether changes wait for an upload.
    func isAwaited(_ held: HeldUpload) -> Bool { state.withLock { $0.awaited[held.number] != nil } }

    /// Releases the changes that have waited for an upload.
    ///
    /// - Parameters:
    ///   - outcomes: The results of its finished uploads.
    ///   - unwanted: Its uploads that no change asks for any more.
    ///   - time: The clock's uptime.
    func end(
        _ held: HeldUpload, _ outcomes: [(SyncServices.Upload, Outcome)] = [], unwanted: [SyncServices.Upload] = [],
        at time: Int64
    ) {
        state.withLock { state in
            guard let awaited = state.awaited.removeValue(forKey: held.number) else { return }
            for upload in unwanted { state.passed[upload.place] = upload }
            let keys = Set(outcomes.map(\.0.place.key))
            state.ended = state.ended.filter { keys.contains($0.key.key) || time - $0.value.time < Self.validity }
            // A record waits for the last of its assets, so all its receipts get the time of that one.
            for place in state.ended.keys where keys.contains(place.key) { state.ended[place]?.time = time }
            for (upload, outcome) in outcomes {
                state.ended[upload.place] = Ended(zone: awaited.zone, upload: upload, outcome: outcome, time: time)
            }
            state.releaseBelow()
        }
    }

    /// Stops all uploads of a zone and forgets the results of others. Bytes that were sent to one zone's server are not
    /// valid for the next one.
    ///
    /// - Parameter zone: The number of the zone; nil for all.
    func forget(zone: Int64?) {
        drop(
            state.withLock { state in
                state.ended = state.ended.filter { zone != nil && $0.value.zone != zone }
                state.passed = [:]
                return Set(state.awaited.filter { zone == nil || $0.value.zone == zone }.keys)
            })
    }
}

extension SyncServices.Upload {
    /// Returns whether both upload the same bytes, under the same key, to the same attribute.
    fileprivate func isSame(as other: Self) -> Bool {
        place == other.place && reference == other.reference && field == other.field && recordName == other.recordName
            && contentKey?.bytes == other.contentKey?.bytes
    }

    /// Returns whether one's receipt is valid for the other, on a server with this project's extensions.
    func hasBytes(of other: Self) -> Bool {
        field == other.field && reference == other.reference && contentKey == nil && other.contentKey == nil
            && data == nil && other.data == nil
    }
}
