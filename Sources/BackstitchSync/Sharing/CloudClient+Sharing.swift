import Backstitch
import CloudWire

extension CloudClient {
    /// Makes or changes a share of the zone, or of a record in it.
    ///
    /// - Returns: The record as the server has it now.
    /// - Throws: ``SyncFailure``, with the server's error as the cause if it refuses the record.
    func saveShare(_ record: WireRecord, as kind: RecordOperation.Kind) async throws -> WireRecord {
        switch try await modifyShare(RecordOperation(kind, record)) {
        case .record(let record): return record
        case .error(let error): throw failure(of: error.error, .recordsModify)
        }
    }

    /// Shares a single record of the zone, with everything below it.
    ///
    /// - Parameter root: The name of the record.
    /// - Parameter share: The new share.
    /// - Returns: The share. An existing share is returned unchanged.
    /// - Throws: ``SyncFailure``; with ``BackstitchError/Code/saveConflict`` if others changed the record at each of
    ///   five attempts.
    func share(recordNamed root: String, by share: WireRecord) async throws -> WireRecord {
        if let known = try await self.share(named: share.recordName) { return known.knowing(root: root) }
        var share = share, attempts = 0
        while true {
            // CloudKit needs a version of the record for this. Any present version will do.
            if !hasExtensions {
                share.share?.forRecord?.recordChangeTag =
                    try await records(named: [root], fields: []).first??.recordChangeTag
            }
            do { return try await saveShare(share, as: .create).knowing(root: root) } catch {
                // Another device may have been faster: with the share, or with a change of the record.
                if let known = try await self.share(named: share.recordName) { return known.knowing(root: root) }
                guard let failure = error as? SyncFailure, failure.isConflict else { throw error }
                attempts += 1
                guard attempts < 5 else {
                    throw SyncFailure(
                        .permanent,
                        BackstitchError(
                            .saveConflict,
                            "the record \"\(root)\" was changed by others each time that it was to be shared; share it "
                                + "again", cause: failure.error))
                }
            }
        }
    }

    /// Ends a share. For a participant, ends only this user's part in it. Does nothing if there is no such share.
    func deleteShare(named name: String) async throws {
        let record = WireRecord(recordName: name, recordType: WireShare.recordType)
        guard case .error(let error) = try await modifyShare(RecordOperation(.forceDelete, record)),
            error.error.code != .notFound, error.error.code != .zoneNotFound
        else { return }
        throw failure(of: error.error, .recordsModify)
    }

    /// The share of the zone, or another share by its name; nil if there is none.
    func share(named name: String = WireShare.zoneShareName) async throws -> WireRecord? {
        try await records(named: [name]).first ?? nil
    }

    /// The share of an address, before the caller accepts it.
    func resolveShare(_ address: ShareAddress) async throws -> ResolvedShare {
        try await askForShare(address, .recordsResolve)
    }

    /// Accepts the share of an address. Also tells the user's public key if the server has this project's extensions.
    func acceptShare(_ address: ShareAddress, key: SharePublicKey? = nil) async throws -> ResolvedShare {
        try await askForShare(address, .recordsAccept, key: hasExtensions ? key : nil)
    }

    /// Tells the user's public key to the participants of a share, by its address. The call does not make the user a
    /// participant: the user may have left on another device.
    func tellKey(_ key: SharePublicKey, to address: ShareAddress) async throws -> ResolvedShare {
        try await askForShare(address, .recordsAccept, key: key, onlyAsParticipant: true)
    }

    /// Whether the token allows changes. The test: a read-only token may not even request an empty upload.
    func mayChangeAnything() async throws -> Bool {
        do {
            _ = try await call(.assetsUpload, AssetUploadRequest(tokens: []), as: AssetUploadResponse.self)
            return true
        } catch let failure as SyncFailure where failure.isDenied {
            return false
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return true
        }
    }

    private func modifyShare(_ operation: RecordOperation) async throws -> RecordResult {
        let request = RecordsModifyRequest(zoneID: zone, operations: [operation])
        let response = try await call(.recordsModify, request, as: RecordsResponse.self)
        return try Self.results(response.records, for: [operation.record.recordName], .recordsModify)[0]
    }

    private func askForShare(
        _ address: ShareAddress, _ endpoint: WireEndpoint, key: SharePublicKey? = nil, onlyAsParticipant: Bool = false
    ) async throws -> ResolvedShare {
        var guid = ShortGUID(address.guid)
        guid.publicKey = key?.wireText
        guid.onlyAsParticipant = onlyAsParticipant
        let request = ShareGUIDsRequest(shortGUIDs: [guid])
        let response = try await call(endpoint, request, as: ShareResultsResponse.self)
        switch response.results.first {
        case .share(var resolved)?:
            resolved.share = resolved.share.knowing(root: resolved.rootRecordName)
            return resolved
        case .error(_, let error)? where error.code == .notFound:
            throw SyncFailure(
                .permanent,
                BackstitchError(
                    .invalidRequest,
                    "the server at \(options.serverPlace) has no share at this address: it has ended, or never "
                        + "existed; ask its owner for a new one", cause: error))
        case .error(_, let error)?: throw failure(of: error, endpoint)
        case nil: throw Self.violation("the server's answer to \(endpoint.rawValue) has no result")
        }
    }
}

extension SyncFailure {
    /// Whether the server has a different version of the record than the one to be changed.
    var isConflict: Bool { (error.cause as? WireError)?.code == .conflict }
}
