import Backstitch
import CloudWire
import Foundation

extension SyncServices {
    /// The zone's name in requests for its keys: empty for the main zone.
    private var keyZone: String { settings.zoneNumber == 0 ? "" : name }

    /// Does this device's duties for the zone's keys. It tells the user's public key. In the user's own zone it also
    /// seals the keys for all entitled participants, and makes a new key if a participant has left.
    ///
    /// Two of the owner's devices may do this at the same time. By the change tag, the server accepts the record of
    /// one, and the other continues with this record.
    ///
    /// - Throws: ``SyncFailure`` if a later attempt may succeed.
    func tendZoneKeys() async throws {
        guard let zoneKeys else { return }
        for _ in 0..<Self.mostKeySteps {
            _ = try await zoneKeys.view(of: keyZone)
            guard let (notes, duty) = zoneKeys.duty(in: keyZone) else { return }
            do {
                switch duty {
                case .tell(let key): try await tell(key, notes)
                case .write(let keys, let identity): try await write(keys, identity, notes)
                }
            } catch let failure as SyncFailure where failure.kind == .permanent || failure.kind == .batchRefused {
                // The other zones may go on, and the program is told.
                zoneKeys.noteRefusal(failure.error.message, in: keyZone, notes)
                bell.ring()
            }
        }
    }

    /// The number of lost races in a row after which a device waits for its next cycle.
    private static let mostKeySteps = 6

    /// Runs `work`, which applies pages, while the pages' keys are available.
    func offering<Result>(
        _ pages: [(zone: SyncServices, page: FetchedPage)], _ work: () async throws -> Result
    ) async throws -> Result {
        guard let zoneKeys else { return try await work() }
        let offered = pages.filter { $0.page.bringsKeys }
        guard !offered.isEmpty else { return try await work() }
        for (zone, page) in offered {
            zoneKeys.offer(page, in: zone.keyZone)
            // Missing keys may be available now.
            zone.settings.ring?.forgetFailures()
        }
        defer { for (zone, _) in offered { zoneKeys.takeBack(zone.keyZone) } }
        return try await work()
    }

    private func tell(_ key: SharePublicKey, _ notes: ZoneKeysNotes) async throws {
        guard let guid = notes.share?.share?.shortGUID else { return }
        guard client.hasExtensions else {
            throw SyncFailure(.permanent, Self.noKeys(client.options.serverPlace))
        }
        let resolved = try await client.tellKey(key, to: ShareAddress(guid))
        let isKept = resolved.share.share?.currentUserParticipant?.publicKey == key.wireText
        try await onStore { [settings] store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                _ = try journal.noteShare(resolved.share, named: WireShare.zoneShareName, settings)
                if isKept { try journal.set(.toldKey, to: key.wireText) }
            }
        }
        guard isKept else {
            // The notes have changed by now.
            _ = try await zoneKeys?.view(of: keyZone)
            if let now = zoneKeys?.duty(in: keyZone)?.notes {
                zoneKeys?.noteRefusal(Self.noKeys(client.options.serverPlace).message, in: keyZone, now)
            }
            return
        }
    }

    private static func noKeys(_ place: String) -> BackstitchError {
        BackstitchError(
            .server,
            "the server at \(place) keeps no public keys of participants, so the keys of a shared zone cannot be "
                + "sealed for them; give all participants an EncryptionKeyProvider that knows a key for the zone, or "
                + "use a zone server that keeps them")
    }

    private func write(_ keys: ZoneKeys, _ identity: ShareIdentity, _ notes: ZoneKeysNotes) async throws {
        guard let place = zoneKeys?.place(of: keyZone, notes) else { return }
        let bytes = try keys.sealed(by: identity, at: place).bytes
        var record = WireRecord(recordName: ZoneKeysDocument.recordName, recordType: ZoneKeysDocument.recordName)
        record.fields[ZoneKeysDocument.field] = .some(.bytes(bytes))
        record.recordChangeTag = notes.record?.recordChangeTag
        let saved = try await client.saveKeys(record, as: notes.record == nil ? .create : .replace)
        // Another device was faster. The participants may have changed too.
        let (now, share) = saved == nil ? try await client.keysAndShare() : (saved, notes.share)
        try await onStore { [settings] store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                try journal.set(.keysRecord, to: now)
                if saved != nil {
                    try journal.set(.trustedKeys, to: bytes)
                } else {
                    _ = try journal.noteShare(share, named: WireShare.zoneShareName, settings)
                }
            }
        }
        bell.ring()
    }
}

extension CloudClient {
    /// Saves the record of the zone's keys.
    ///
    /// - Returns: The record as the server has it now; nil if the server has another version.
    /// - Throws: ``SyncFailure`` for any other error of the server.
    fileprivate func saveKeys(_ record: WireRecord, as kind: RecordOperation.Kind) async throws -> WireRecord? {
        let request = RecordsModifyRequest(zoneID: zone, operations: [RecordOperation(kind, record)])
        let response = try await call(.recordsModify, request, as: RecordsResponse.self)
        switch try Self.results(response.records, for: [record.recordName], .recordsModify)[0] {
        case .record(var saved):
            // An answer need not repeat the sent fields.
            saved.fields = record.fields
            saved.faultyFields = nil
            return saved
        case .error(let error):
            guard [.conflict, .exists, .notFound].contains(error.error.code) else {
                throw failure(of: error.error, .recordsModify)
            }
            return nil
        }
    }

    /// The record of the zone's keys and its share, as the server has them.
    fileprivate func keysAndShare() async throws -> (WireRecord?, WireRecord?) {
        let found = try await records(named: [ZoneKeysDocument.recordName, WireShare.zoneShareName])
        return (found[0], found[1])
    }
}
