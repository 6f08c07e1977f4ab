import Backstitch
import BackstitchSupport
import CloudWire
import Logging

extension ZoneService {
    /// `assets/upload`: places to which files can be sent. A file that no field could take has an error in its place.
    func uploadAddresses(_ request: AssetUploadRequest, _ scope: RequestScope) async throws -> AssetUploadResponse {
        try scope.checkCount(request.tokens.count + request.malformed.count, of: "tokens")
        let place = try scope.place(of: request.zoneID)
        if !place.isDefault {
            _ = try await storage.read { reading in
                let zone = try find(place, try reading.owner(scope.database), scope, reading)
                if let access = zone.access { try access.requireWriting() }
            }
        }
        // Nothing is written, but a signed request is taken once.
        if scope.signature != nil { try await change(scope) { _ in } }
        let expires = receiptEnd
        let places = request.tokens.map { token in
            let recordName = token.recordName ?? random.uuid()
            let fault =
                RecordRules.fault(inFieldName: token.fieldName) ?? RecordRules.fault(inRecordName: recordName)
            let content: AssetReceipts.Content?
            do throws(WireError) {
                if let fault { throw WireError(.badRequest, fault) }
                content = try Self.content(of: token, limit: scope.limits.asset)
            } catch {
                return AssetUploadResponse.Token(
                    recordName: token.recordName ?? "", fieldName: token.fieldName, error: error)
            }
            let upload = AssetReceipts.Upload(
                tenant: scope.database.tenant, bearer: scope.bearer, field: token.fieldName,
                limit: scope.limits.asset, expires: expires, content: takesParts ? content : nil)
            return AssetUploadResponse.Token(
                recordName: recordName, fieldName: token.fieldName,
                url: "\(scope.baseURL)/assets/bytes?ticket=\(receipts.ticket(upload))")
        }
        return AssetUploadResponse(
            tokens: request.malformed.woven(into: places) {
                AssetUploadResponse.Token(recordName: $0.name ?? "", fieldName: "", error: $0.error)
            })
    }

    /// Whether a part that one server has is found by the others, which a client may reach next.
    private var takesParts: Bool { !storage.isShared || !storage.assets.isTemporary }

    /// The upload that an address allows.
    ///
    /// - Throws: NOT_FOUND for an address that this server did not make, for one that was asked for by a token or key
    ///   which is honoured no longer, and for one that has expired: each time the client needs another one, and is not
    ///   to be told that its bytes are wrong.
    func upload(ticket: String) async throws -> AssetReceipts.Upload {
        guard let upload = receipts.upload(ticket: ticket) else { throw WireError(.notFound, "unknown upload address") }
        try await requireHonoured(upload)
        guard upload.expires > clock.milliseconds() else {
            throw WireError(.notFound, "the upload address has expired; ask assets/upload for another")
        }
        return upload
    }

    private func requireHonoured(_ upload: AssetReceipts.Upload) async throws {
        guard try await users.honours(upload.bearer) else { throw WireError(.notFound, "unknown upload address") }
    }

    /// Takes a file that was received, and gives the value for the record's field. The file goes, also when it cannot
    /// be taken.
    func adopt(_ received: ReceivedFile, _ upload: AssetReceipts.Upload) async throws -> AssetUploadReceipt {
        let receipt: AssetUploadReceipt
        do { receipt = try await keep(received, upload) } catch {
            try await configuration.runner.run { received.discard() }
            throw error
        }
        try await configuration.runner.run { received.discard() }
        return receipt
    }

    /// The same for a file that its caller discards.
    func keep(_ received: ReceivedFile, _ upload: AssetReceipts.Upload) async throws -> AssetUploadReceipt {
        // The bytes may have taken their time.
        try await requireHonoured(upload)
        let tenantID = try await tenantID(of: upload)
        let name = AssetName(tenantID: tenantID, checksum: received.checksum)
        // From here on no removal comes in between. Content whose row is not written after all is found later.
        let isStored = try await turns.take([name]) {
            try await store(received, received.size, as: name, of: upload.user)
        }
        guard isStored else { throw WireError(.notFound, "the asset is gone") }
        note(received.size, upload)
        return receipt(for: received.checksum, received.size, upload)
    }

    /// The value for the record's field once more, for content that the user has sent whole; nil when it is gone. It
    /// counts as uploaded now.
    func renew(
        _ content: AssetReceipts.Content, _ upload: AssetReceipts.Upload
    ) async throws -> AssetUploadReceipt? {
        let name = AssetName(tenantID: try await tenantID(of: upload), checksum: content.checksum)
        guard try await row(of: name)?.size == content.size else { return nil }
        let isStored = try await turns.take([name]) {
            try await store(nil, content.size, as: name, of: upload.user)
        }
        guard isStored else { return nil }
        note(content.size, upload)
        return receipt(for: content.checksum, content.size, upload)
    }

    /// Counts bytes of a user's that no record has yet.
    private func note(_ size: Int64, _ upload: AssetReceipts.Upload) {
        ledger.noteUpload(
            Int(clamping: size), of: upload.user, for: Int64(configuration.uploadRetention) * 1000,
            at: clock.uptime())
    }

    private func receipt(
        for checksum: AssetChecksum, _ size: Int64, _ upload: AssetReceipts.Upload
    ) -> AssetUploadReceipt {
        let receipt = receipts.receipt(
            checksum: checksum, size: size, tenant: upload.tenant, user: upload.user, field: upload.field,
            expires: receiptEnd)
        return AssetUploadReceipt(singleFile: WireAsset(fileChecksum: checksum.wire, size: size, receipt: receipt))
    }

    /// Until when a receipt that is given now is good: as long as the content stays without a record.
    var receiptEnd: Int64 { clock.milliseconds() + Int64(configuration.uploadRetention) * 1000 }

    /// How often content is given its place when others remove some meanwhile, and how long the pauses are.
    private static let attempts = 20
    private static let pause: Int64 = 250

    /// Gives content its place, then writes its row. Without a file the content has to be in its place already: false
    /// when it is not. See ``AssetTurns``.
    private func store(
        _ received: ReceivedFile?, _ size: Int64, as name: AssetName, of user: String
    ) async throws -> Bool {
        var isInPlace = received == nil
        for _ in 0..<Self.attempts {
            let removals = storage.isShared ? try await storage.read { try $0.removals(of: name) } : 0
            guard let removals else {
                try await clock.sleep(milliseconds: Self.pause)
                continue
            }
            // The disk or the network is waited for here, where nobody waits along, and not by the one writer.
            if isInPlace { isInPlace = try await assets.has(name) }
            if !isInPlace {
                guard let received else { return false }
                try await assets.adopt(received, as: name)
            }
            isInPlace = true
            let asset = StoredAsset(
                tenantID: name.tenantID, checksum: name.checksum, size: size, uploaded: clock.milliseconds())
            if try await storage.write(for: user, bytes: 0, { try $0.putAsset(asset, after: removals) }) {
                return true
            }
        }
        throw WireError(.tryAgainLater, "another server removes the same content just now", retryAfter: 10)
    }

    /// The tenant of an upload, made when nobody had been there before.
    private func tenantID(of upload: AssetReceipts.Upload) async throws -> Int64 {
        let database = DatabaseKey(tenant: upload.tenant, scope: .private, owner: upload.user)
        if let tenantID = try await storage.read({ try $0.owner(database)?.tenantID }) { return tenantID }
        return try await storage.write(for: upload.user, bytes: 0) { writing in
            try makeOwner(database, of: upload.user, writing).tenantID
        }
    }

    /// The asset of a download address.
    ///
    /// - Throws: NOT_FOUND for an address that this server did not make, for one that has expired, and where the asset
    ///   is gone: the record tells more.
    func download(_ name: AssetName, expires: Int64, mark: String) async throws -> StoredAsset {
        guard receipts.isGenuine(mark: mark, tenantID: name.tenantID, name.checksum, expires: expires) else {
            throw WireError(.notFound, "unknown download address")
        }
        guard expires > clock.milliseconds() else {
            throw WireError(.notFound, "the download address has expired; look the record up again")
        }
        guard let asset = try await row(of: name) else { throw Self.goneAsset }
        return asset
    }

    /// For a download whose content is not there.
    func missing(_ name: AssetName) async throws -> WireError {
        // Unless it was collected just now.
        if try await row(of: name) != nil {
            configuration.logger.error(
                "an asset's content is missing; restore it from a backup",
                metadata: ["content": "\(assets.place(of: name))"])
        }
        return Self.goneAsset
    }

    func row(of name: AssetName) async throws -> StoredAsset? {
        try await storage.read { try $0.asset(tenantID: name.tenantID, checksum: name.checksum) }
    }

    /// For a download of what the storage does not have, or has no more.
    private static let goneAsset = WireError(.notFound, "the asset is gone")
}
