import Backstitch
import BackstitchSupport

/// The running uploads, each with the attributes that share its bytes, so that the program can stop them.
final class UploadStops: Sendable {
    /// The reason why an upload was stopped.
    enum Reason: Error {
        case paused, cancelled
    }

    private struct Upload: Sendable {
        let places: [AssetPlace]
        var reasons: [AssetPlace: Reason]
        var cancel: (@Sendable () -> Void)?

        /// Whether all attributes that share the bytes have stopped the upload.
        var isUnwanted: Bool { places.allSatisfy { reasons[$0] != nil } }
    }

    private struct State: Sendable {
        var uploads: [Int: Upload] = [:]
        var next = 0
        // Pauses of this process. An upload whose batch was built before the pause does not begin.
        var pausedPlaces: Set<AssetPlace> = []
        var isAllPaused = false

        func isPaused(_ place: AssetPlace) -> Bool { isAllPaused || pausedPlaces.contains(place) }
    }

    private let state = Locked(State())
    let executor: (any TaskExecutor)?

    /// - Parameter executor: The executor of the uploads; nil for the default one.
    init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    /// Runs an upload, unless it is stopped.
    ///
    /// - Parameter places: The attributes that have its bytes.
    /// - Returns: The result for each attribute, or the reason why its upload was stopped.
    func run<Value: Sendable>(
        for places: [AssetPlace], _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> [Result<Value, Reason>] {
        let number = begin(places)
        defer { end(number) }
        let value: Result<Value, any Error>?
        if state.withLock({ $0.uploads[number]?.isUnwanted }) == true {
            value = nil
        } else {
            let task = Task(executorPreference: executor) { try await work() }
            if setCancel(number, { task.cancel() }) { task.cancel() }
            value = await withTaskCancellationHandler {
                await task.result
            } onCancel: {
                task.cancel()
            }
        }
        let reasons = state.withLock { $0.uploads[number]?.reasons ?? [:] }
        switch value {
        case .success(let value)?:
            return places.map { place in reasons[place].map(Result.failure) ?? .success(value) }
        case .failure(let error)? where !places.allSatisfy({ reasons[$0] != nil }): throw error
        default: return places.map { .failure(reasons[$0] ?? .cancelled) }
        }
    }

    /// Stops running uploads of some attributes, and prevents new ones until ``resume(_:)``.
    ///
    /// - Parameter place: The attribute; nil for all.
    func pause(_ place: AssetPlace?) {
        state.withLock { if let place { $0.pausedPlaces.insert(place) } else { $0.isAllPaused = true } }
        stop(.paused) { place == nil || $0 == place }
    }

    func resume(_ place: AssetPlace?) {
        state.withLock { if let place { $0.pausedPlaces.remove(place) } else { $0.isAllPaused = false } }
    }

    /// Stops a running upload.
    func cancel(_ place: AssetPlace) { stop(.cancelled) { $0 == place } }

    /// Returns whether this process has paused transfers of an attribute, or all.
    func isPaused(_ place: AssetPlace) -> Bool { state.withLock { $0.isPaused(place) } }

    private func begin(_ places: [AssetPlace]) -> Int {
        state.withLock { state in
            state.next += 1
            let paused = places.filter(state.isPaused).map { ($0, Reason.paused) }
            state.uploads[state.next] = Upload(
                places: places, reasons: Dictionary(paused) { first, _ in first }, cancel: nil)
            return state.next
        }
    }

    /// - Returns: Whether the upload has already been stopped.
    private func setCancel(_ number: Int, _ cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.uploads[number]?.cancel = cancel
            return state.uploads[number]?.isUnwanted ?? true
        }
    }

    private func end(_ number: Int) { state.withLock { $0.uploads[number] = nil } }

    private func stop(_ reason: Reason, where isMeant: (AssetPlace) -> Bool) {
        let unwanted = state.withLock { state in
            var unwanted: [@Sendable () -> Void] = []
            for (number, var upload) in state.uploads {
                for place in upload.places where isMeant(place) && upload.reasons[place] == nil {
                    upload.reasons[place] = reason
                }
                state.uploads[number] = upload
                if upload.isUnwanted, let cancel = upload.cancel { unwanted.append(cancel) }
            }
            return unwanted
        }
        for cancel in unwanted { cancel() }
    }
}

extension RecordFault {
    /// Creates the reason why the record of a stopped upload is not sent.
    init(_ reason: UploadStops.Reason, of attribute: String) {
        switch reason {
        case .paused:
            self.init(TransferPauses.reason(attribute))
            isHeld = true
        case .cancelled:
            self.init("the upload of \(attribute) was cancelled; sync.blocked.retry(_:) sends the change again")
        }
    }
}
