import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// How often an upload is tried again before it has failed, and milliseconds between two tries.
    private static let retries = 2, pause: Int64 = 500

    /// Uploads assets whose records wait for them, while changes of other records are sent. After a failure they wait
    /// on, for another try.
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
                // An asset that rests is not sent, and goes on where it was when it rests no longer.
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

    /// Whether unsent changes still have to bring the bytes of some uploads to the server, to their zones.
    private func unsent(_ uploads: [(zone: Int64, upload: Upload)]) async throws -> [Bool] {
        try await onWholeStore { [settings] store in try store.readJournal { try $0.unsent(uploads, settings) } }
    }

    /// Holds what a look at the outbox has left out for that. Of a look that has failed nothing is held, since nobody
    /// would begin it.
    func hold(_ heldBack: HeldBack) -> [HeldUpload] {
        heldUploads.hold(
            heldBack, inZone: settings.zoneNumber, sharesReceipts: client.hasExtensions,
            most: min(max(client.limits.operations, 1), 200))
    }

    /// Ends those held uploads whose objects were deleted meanwhile, have other assets, or are in another zone. What is
    /// to be sent of these waits no longer.
    func dropUnwantedUploads() async throws {
        let open = heldUploads.open
        if open.isEmpty { return }
        let unsent = try await unsent(open.map { ($0.zone, $0.upload) })
        let wanted = Set(zip(open, unsent).compactMap { $1 ? $0.number : nil })
        heldUploads.drop(Set(open.map(\.number)).subtracting(wanted))
    }

    /// Does at once what an effect asks that ends uploads, before anything else is begun.
    func endUploads(_ effect: SyncEngine.Effect) {
        switch effect {
        case .stopUploads(let uploads): heldUploads.stop(uploads)
        case .forgetUploads(let zone): heldUploads.forget(zone: zone)
        default: break
        }
    }
}

extension HeldUploads.Outcome {
    /// Whether the program lets the asset rest.
    fileprivate var isHeld: Bool { if case .failure(let fault) = self { fault.isHeld } else { false } }
}
