import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// Assets: uploads, downloads, and the removal of content that no record uses.
struct AssetOperations: Sendable {
    let server: ServerContext
    /// The store for the content of assets.
    let contents: any AssetContentStore
    let turns = AssetTurns()
    /// Recently ended uploads in parts, for clients that did not receive the answer.
    let endedUploads = Locked(GenerationalCache<PartialName, Bool>(limit: 10_000))

    /// Answers `assets/upload`: the addresses for uploads. A file that no field could take has an error in its place.
    func uploadAddresses(_ request: AssetUploadRequest, _ scope: RequestScope) async throws -> AssetUploadResponse {
        try scope.checkCount(request.tokens.count + request.malformed.count, of: "tokens")
        let place = try scope.place(of: request.zoneID)
        if !place.isDefault {
            _ = try await server.storage.read { reading in
                let zone = try scope.requireZone(at: place, try reading.owner(scope.database), reading)
                if let access = zone.access { try access.requireWriting() }
            }
        }
        // Nothing is written, but a signed request is accepted only once.
        if scope.signature != nil { try await server.change(scope) { _ in } }
        let expires = receiptEnd
        let places = request.tokens.map { token in
            let recordName = token.recordName ?? server.random.uuid()
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
                url: "\(scope.baseURL)/assets/bytes?ticket=\(server.receipts.ticket(upload))")
        }
        return AssetUploadResponse(
            tokens: request.malformed.woven(into: places) {
                AssetUploadResponse.Token(recordName: $0.name ?? "", fieldName: "", error: $0.error)
            })
    }

    /// Whether uploads in parts are possible. A client may reach another server next, so all servers must find the
    /// parts.
    private var takesParts: Bool { !server.storage.isShared || !server.storage.assets.isTemporary }

    /// The upload allowed by an address.
    ///
    /// In each case of an error the client needs a new address, and must not be told that its bytes are wrong.
    ///
    /// - Throws: NOT_FOUND if this server did not make the address, if it has expired, or if its token or key is no
    ///   longer valid.
    func upload(ticket: String) async throws -> AssetReceipts.Upload {
        guard let upload = server.receipts.upload(ticket: ticket) else {
            throw WireError(.notFound, "unknown upload address")
        }
        try await requireHonoured(upload)
        guard upload.expires > server.clock.milliseconds() else {
            throw WireError(.notFound, "the upload address has expired; ask assets/upload for another")
        }
        return upload
    }

    /// Checks that the token or key of an upload is still valid.
    ///
    /// - Throws: NOT_FOUND if it is not.
    private func requireHonoured(_ upload: AssetReceipts.Upload) async throws {
        guard try await server.users.honours(upload.bearer) else {
            throw WireError(.notFound, "unknown upload address")
        }
    }

    /// Takes a received file, and returns the value for the record's field. The file is removed in any case, even after
    /// an error.
    func adopt(_ received: ReceivedFile, _ upload: AssetReceipts.Upload) async throws -> AssetUploadReceipt {
        let receipt: AssetUploadReceipt
        do { receipt = try await keep(received, upload) } catch {
            try await server.configuration.runner.run { received.discard() }
            throw error
        }
        try await server.configuration.runner.run { received.discard() }
        return receipt
    }

    /// The same for a file that the caller removes.
    func keep(_ received: ReceivedFile, _ upload: AssetReceipts.Upload) async throws -> AssetUploadReceipt {
        // The upload may have taken long.
        try await requireHonoured(upload)
        let tenantID = try await tenantID(of: upload)
        let name = AssetName(tenantID: tenantID, checksum: received.checksum)
        // No removal interferes from here on. If the row is not written after all, the daily search finds the content.
        let isStored = try await turns.take([name]) {
            try await store(received, received.size, as: name, of: upload.user)
        }
        guard isStored else { throw WireError(.notFound, "the asset is gone") }
        note(received.size, upload)
        return receipt(for: received.checksum, received.size, upload)
    }

    /// The value for the record's field again, for content that the user has already sent; nil if the content is gone.
    /// It counts as uploaded now.
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

    /// Counts uploaded bytes that no record of the user has yet.
    private func note(_ size: Int64, _ upload: AssetReceipts.Upload) {
        server.ledger.noteUpload(
            Int(clamping: size), of: upload.user, for: Int64(server.configuration.uploadRetention) * 1000,
            at: server.clock.uptime())
    }

    /// The value for the record's field, with a new receipt.
    private func receipt(
        for checksum: AssetChecksum, _ size: Int64, _ upload: AssetReceipts.Upload
    ) -> AssetUploadReceipt {
        let receipt = server.receipts.receipt(
            checksum: checksum, size: size, tenant: upload.tenant, user: upload.user, field: upload.field,
            expires: receiptEnd)
        return AssetUploadReceipt(singleFile: WireAsset(fileChecksum: checksum.wire, size: size, receipt: receipt))
    }

    /// The end of a receipt given now. Content without a record is kept for the same time.
    var receiptEnd: Int64 { server.clock.milliseconds() + Int64(server.configuration.uploadRetention) * 1000 }

    /// The number of attempts to store content while other servers remove some, and the pause between them in
    /// milliseconds.
    private static let attempts = 20
    private static let pause: Int64 = 250

    /// Stores content, then writes its row; see ``AssetTurns``.
    ///
    /// - Parameter received: The file; nil if the content must already be in its place.
    /// - Returns: false if there is neither a file nor the content.
    private func store(
        _ received: ReceivedFile?, _ size: Int64, as name: AssetName, of user: String
    ) async throws -> Bool {
        var isInPlace = received == nil
        for _ in 0..<Self.attempts {
            let removals = server.storage.isShared ? try await server.storage.read { try $0.removals(of: name) } : 0
            guard let removals else {
                try await server.clock.sleep(milliseconds: Self.pause)
                continue
            }
            // The wait for disk or network is here, without a lock, so no other work waits for it.
            if isInPlace { isInPlace = try await contents.has(name) }
            if !isInPlace {
                guard let received else { return false }
                try await contents.adopt(received, as: name)
            }
            isInPlace = true
            let asset = StoredAsset(
                tenantID: name.tenantID, checksum: name.checksum, size: size, uploaded: server.clock.milliseconds())
            if try await server.storage.write(for: user, bytes: 0, { try $0.putAsset(asset, after: removals) }) {
                return true
            }
        }
        throw WireError(.tryAgainLater, "another server is removing the same content now", retryAfter: 10)
    }

    /// The tenant of an upload. It is made if this is its first use.
    private func tenantID(of upload: AssetReceipts.Upload) async throws -> Int64 {
        let database = DatabaseKey(tenant: upload.tenant, scope: .private, owner: upload.user)
        if let tenantID = try await server.storage.read({ try $0.owner(database)?.tenantID }) { return tenantID }
        return try await server.storage.write(for: upload.user, bytes: 0) { writing in
            try server.makeOwner(database, of: upload.user, writing).tenantID
        }
    }

    /// The asset of a download address.
    ///
    /// - Parameter download: The proof in the address; nil if this server did not make the address.
    /// - Throws: NOT_FOUND if this server did not make the address, if it has expired, if its token or key is no longer
    ///   valid, or if the asset is gone. The record tells more.
    func asset(named name: AssetName, by download: AssetReceipts.Download?) async throws -> StoredAsset {
        let unknown = WireError(.notFound, "unknown download address")
        guard let download else { throw unknown }
        if let bearer = download.bearer, try await !server.users.honours(bearer) { throw unknown }
        guard download.expires > server.clock.milliseconds() else {
            throw WireError(.notFound, "the download address has expired; look the record up again")
        }
        guard let asset = try await row(of: name) else { throw Self.goneAsset }
        return asset
    }

    /// The error for a download without content. It also logs missing content of a stored asset.
    func missing(_ name: AssetName) async throws -> WireError {
        // The asset may have been removed a moment ago.
        if try await row(of: name) != nil {
            server.configuration.logger.error(
                "an asset's content is missing; restore it from a backup",
                metadata: ["content": "\(contents.place(of: name))"])
        }
        return Self.goneAsset
    }

    /// The row of an asset; nil if there is none.
    func row(of name: AssetName) async throws -> StoredAsset? {
        try await server.storage.read { try $0.asset(tenantID: name.tenantID, checksum: name.checksum) }
    }

    /// The error for a download of an asset that the storage does not have, or no longer has.
    private static let goneAsset = WireError(.notFound, "the asset is gone")
}
