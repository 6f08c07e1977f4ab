import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// The number of retries before an upload has failed, and the milliseconds between two tries.
    private static let retries = 2, pause: Int64 = 500

    /// Uploads assets before their records, while changes of other records are sent. After a failure they wait for
    /// another try.
    func upload(_ held: HeldUpload) async -> Result<Void, SyncFailure> {
        do {
            if let zone = try await services(of: held.zone) {
                let (outcomes, unwanted) = try await heldUploads.run(held, on: stops.executor) {
                    try await zone.outcomes(of: held)
                }
                heldUploads.end(held, outcomes, unwanted: unwanted, at: clock.uptime())
            } else {
                heldUploads.end(held, at: clock.uptime())
            }
            return .success(())
        } catch {
            return heldUploads.isAwaited(held) ? .failure(SyncFailure(any: error)) : .success(())
        }
    }

    private func outcomes(of held: HeldUpload) async throws -> ([(Upload, HeldUploads.Outcome)], unwanted: [Upload]) {
        let uploads = heldUploads.uploads(of: held)
        let unsent = try await unsent(uploads.map { (held.zone, $0) })
        let wanted = zip(uploads, unsent).compactMap { $1 ? $0 : nil }
        let unwanted = zip(uploads, unsent).compactMap { $1 ? nil : $0 }
        if wanted.isEmpty { return ([], unwanted) }
        let keys = Array(Set(wanted.map(\.place.key)))
        bell.beginUpload(keys)
        defer { bell.uploaded(keys) }
        try await expect(wanted)
        var tries = 0
        while true {
            do {
                let receipts = try await upload(wanted, atOnce: 1)
                // A paused asset is not sent. It continues from the same place when it is resumed.
                return (zip(wanted, receipts).filter { !$0.1.isHeld }, unwanted)
            } catch let failure as SyncFailure
                where failure.isPassing && failure.kind != .noRoom && tries < Self.retries
                && failure.retryAfter ?? 0 <= 1_000
            {
                tries += 1
                try await clock.sleep(milliseconds: max(Self.pause, failure.retryAfter ?? 0))
            }
        }
    }

    /// Returns for each upload whether an unsent change still needs its bytes on the server, in its zone.
    private func unsent(_ uploads: [(zone: Int64, upload: Upload)]) async throws -> [Bool] {
        try await onWholeStore { [settings] store in try store.readJournal { try $0.unsent(uploads, settings) } }
    }

    /// Holds the uploads that were left out of a batch. If the batch fails, nothing is held, because no effect would
    /// start the upload.
    func hold(_ heldBack: HeldBack) -> [HeldUpload] {
        heldUploads.hold(
            heldBack, inZone: settings.zoneNumber, sharesReceipts: client.hasExtensions,
            most: min(max(client.limits.operations, 1), 200))
    }

    /// Ends held uploads whose objects were deleted meanwhile, have other assets, or are in another zone. The other
    /// changes of those objects no longer wait.
    func dropUnwantedUploads() async throws {
        let open = heldUploads.open
        if open.isEmpty { return }
        let unsent = try await unsent(open.map { ($0.zone, $0.upload) })
        let wanted = Set(zip(open, unsent).compactMap { $1 ? $0.number : nil })
        heldUploads.drop(Set(open.map(\.number)).subtracting(wanted))
    }

    /// Carries out an effect that ends uploads, at once and before anything else begins.
    func endUploads(_ effect: SyncEngine.Effect) {
        switch effect {
        case .stopUploads(let uploads): heldUploads.stop(uploads)
        case .forgetUploads(let zone): heldUploads.forget(zone: zone)
        default: break
        }
    }
}

extension HeldUploads.Outcome {
    /// Whether the program has paused the asset.
    fileprivate var isHeld: Bool { if case .failure(let fault) = self { fault.isHeld } else { false } }
}
