import Backstitch
import BackstitchSupport
import CloudWire

/// The uploads for which changes wait, and what came of those that have ended, until the record has gone. It is in
/// memory alone: after a restart the outbox has the same changes, and the server says how much of the bytes it has.
final class HeldUploads: Sendable {
    /// The outcome of an upload: the server's receipt, or why it takes no bytes.
    typealias Outcome = Result<WireAsset, RecordFault>

    private struct Awaited: Sendable {
        let zone: Int64
        var uploads: [SyncServices.Upload]
        /// Whether it is told to stop: its changes wait for another try.
        var isStopped = false
        var cancel: (@Sendable () -> Void)?
    }

    private struct Ended: Sendable {
        let zone: Int64
        let upload: SyncServices.Upload
        let outcome: Outcome
        /// The clock's uptime when it was so.
        var time: Int64
    }

    private struct State: Sendable {
        var perBatch: Int64 = 4 << 20
        var awaited: [Int: Awaited] = [:]
        /// Objects whose changes wait for those of others, on which they hang; these others, and their zone.
        var below: [ObjectKey: (parent: ObjectKey, zone: Int64)] = [:]
        var ended: [AssetPlace: Ended] = [:]
        /// Uploads that had no change to go with when their turn came. One that a batch has nonetheless goes with it.
        var passed: [AssetPlace: SyncServices.Upload] = [:]
        var next = 0

        func isAwaited(_ key: ObjectKey) -> Bool {
            awaited.values.contains { $0.uploads.contains { $0.place.key == key } }
        }

        /// Lets the changes go that hang on others which wait no longer.
        mutating func releaseBelow() {
            var hasChanged = true
            while hasChanged {
                let free = below.filter { !isAwaited($0.value.parent) && below[$0.value.parent] == nil }.keys
                for key in free { below[key] = nil }
                hasChanged = !free.isEmpty
            }
        }
    }

    /// Milliseconds for which a receipt is used: a server keeps bytes without a record for a while only.
    private static let validity: Int64 = 300_000

    private let state = Locked(State())

    /// Bytes of assets that go with a batch, and of those that are held together; changes whose assets have more wait.
    var perBatch: Int64 {
        get { state.withLock(\.perBatch) }
        set { state.withLock { $0.perBatch = newValue } }
    }

    /// The objects of a zone whose changes wait.
    func keys(inZone zone: Int64) -> Set<ObjectKey> {
        state.withLock { state in
            if state.awaited.isEmpty { return [] }
            let held = state.awaited.values.filter { $0.zone == zone }.flatMap { $0.uploads.map(\.place.key) }
            return Set(held).union(state.below.filter { $0.value.zone == zone }.keys)
        }
    }

    /// The uploads that have not ended, each with the number of what is held together and the zone.
    var open: [(number: Int, zone: Int64, upload: SyncServices.Upload)] {
        state.withLock { state in
            state.awaited.flatMap { number, awaited in awaited.uploads.map { (number, awaited.zone, $0) } }
        }
    }

    /// The uploads of one that is held.
    func uploads(of held: HeldUpload) -> [SyncServices.Upload] {
        state.withLock { $0.awaited[held.number]?.uploads ?? [] }
    }

    /// Whether a change waits for an upload: the batch does not bring the bytes by itself.
    func holds(_ upload: SyncServices.Upload) -> Bool {
        state.withLock { state in state.passed[upload.place].map { !$0.isSame(as: upload) } ?? true }
    }

    /// The outcome of an upload; nil where it has not ended, or has too long ago.
    func outcome(of upload: SyncServices.Upload, inZone zone: Int64, at time: Int64) -> Outcome? {
        state.withLock { state in
            guard let ended = state.ended[upload.place], ended.zone == zone, ended.upload.isSame(as: upload),
                time - ended.time < Self.validity
            else { return nil }
            return ended.outcome
        }
    }

    /// The key under which an upload of the same asset has encrypted the bytes.
    func contentKey(of reference: AssetReference, at place: AssetPlace) -> AssetContentKey? {
        state.withLock { state in
            if let upload = state.ended[place]?.upload, upload.reference == reference { return upload.contentKey }
            return state.awaited.values.lazy.flatMap(\.uploads)
                .first { $0.place == place && $0.reference == reference }?.contentKey
        }
    }

    /// Forgets the outcomes of uploads.
    func forget(_ places: some Sequence<AssetPlace>) {
        state.withLock { state in
            for place in places { (state.ended[place], state.passed[place]) = (nil, nil) }
        }
    }
}

// How it begins.
extension HeldUploads {
    /// Has changes wait.
    ///
    /// - Parameters:
    ///   - sharesReceipts: Whether a receipt is good for all records with the same bytes in the same field.
    ///   - most: How many are held together.
    /// - Returns: The uploads that are to be begun.
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
    /// - Parameter executor: Where it runs; nil for wherever tasks run.
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
            // The next try is not stopped.
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

// How it ends.
extension HeldUploads {
    /// Stops uploads that are under way. Their changes wait on, for another try.
    func stop(_ uploads: [HeldUpload]) {
        let cancels = state.withLock { state in
            uploads.compactMap { upload in
                state.awaited[upload.number]?.isStopped = true
                return state.awaited[upload.number]?.cancel
            }
        }
        for cancel in cancels { cancel() }
    }

    /// Ends uploads for which no change waits any more.
    func drop(_ numbers: Set<Int>) {
        let cancels = state.withLock { state in
            defer { state.releaseBelow() }
            return numbers.compactMap { state.awaited.removeValue(forKey: $0)?.cancel }
        }
        for cancel in cancels { cancel() }
    }

    /// Whether changes wait for an upload.
    func isAwaited(_ held: HeldUpload) -> Bool { state.withLock { $0.awaited[held.number] != nil } }

    /// Lets the changes go that have waited for an upload.
    ///
    /// - Parameters:
    ///   - outcomes: What came of it, for each of its uploads that was made.
    ///   - unwanted: Those of its uploads that no change has asked for any more.
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
            // A record waits for the last of its assets: the bytes of the others are as fresh as that.
            for place in state.ended.keys where keys.contains(place.key) { state.ended[place]?.time = time }
            for (upload, outcome) in outcomes {
                state.ended[upload.place] = Ended(zone: awaited.zone, upload: upload, outcome: outcome, time: time)
            }
            state.releaseBelow()
        }
    }

    /// Stops all uploads of a zone and forgets what came of others: bytes that one zone's server was given are none of
    /// the next one's.
    ///
    /// - Parameter zone: nil for all.
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
    /// Whether both bring the same bytes, under the same key, to the same attribute.
    fileprivate func isSame(as other: Self) -> Bool {
        place == other.place && reference == other.reference && field == other.field && recordName == other.recordName
            && contentKey?.bytes == other.contentKey?.bytes
    }

    /// Whether the receipt of one is good for the other where a server has our extensions.
    func hasBytes(of other: Self) -> Bool {
        field == other.field && reference == other.reference && contentKey == nil && other.contentKey == nil
            && data == nil && other.data == nil
    }
}
