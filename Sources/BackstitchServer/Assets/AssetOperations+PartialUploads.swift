import Backstitch
import BackstitchSupport
import CloudWire
import CoreMetrics

extension AssetOperations {
    /// The file announced by a token; nil if the token announces none.
    ///
    /// - Throws: BAD_REQUEST for an incomplete or impossible announcement.
    static func content(
        of token: AssetUploadRequest.Token, limit: Int
    ) throws(WireError) -> AssetReceipts.Content? {
        if token.fileChecksum == nil, token.size == nil { return nil }
        let field = "of the file for field '\(token.fieldName)'"
        guard let text = token.fileChecksum else {
            throw WireError(.badRequest, "the size \(token.size ?? 0) \(field) needs its fileChecksum too")
        }
        let shown = "'\(text.shown())'"
        guard let size = token.size else {
            throw WireError(.badRequest, "the fileChecksum \(shown) \(field) needs its size too")
        }
        guard let checksum = AssetChecksum(wire: text) else {
            throw WireError(
                .badRequest,
                "the fileChecksum \(shown) \(field) is not the base64 of a byte 1 and the first 20 bytes of a SHA-256")
        }
        guard size >= 0 else { throw WireError(.badRequest, "the size \(size) \(field) is negative") }
        guard size <= limit else {
            throw WireError(
                .badRequest, "\(WireError.limitExceededPrefix): the size \(size) \(field) is over \(limit) bytes")
        }
        return AssetReceipts.Content(checksum: checksum, size: size)
    }

    /// The number of bytes that the server has of a user's file.
    ///
    /// It is the whole size as long as this server remembers the end of the upload.
    func size(of partial: PartialUpload) async throws -> Int64 {
        let size = try await server.configuration.runner.run { [partials = server.storage.assets.partials] in
            try partials.size(of: partial.name)
        }
        guard size == 0, hasEnded(partial) else { return size }
        let database = DatabaseKey(tenant: partial.upload.tenant, scope: .private, owner: partial.upload.user)
        guard let tenantID = try await server.storage.read({ try $0.owner(database)?.tenantID }) else { return 0 }
        let row = try await row(of: AssetName(tenantID: tenantID, checksum: partial.content.checksum))
        return row?.size == partial.content.size ? partial.content.size : 0
    }

    /// The value for the record's field again, for a client that did not receive it; nil if the file must be sent.
    func receiptAgain(_ partial: PartialUpload) async throws -> AssetUploadReceipt? {
        hasEnded(partial) ? try await renew(partial.content, partial.upload) : nil
    }

    /// Whether this server remembers the end of the upload.
    private func hasEnded(_ partial: PartialUpload) -> Bool {
        endedUploads.withLock { $0.use(partial.name) } != nil
    }

    /// The file of an upload, open for this request alone.
    ///
    /// - Parameter offset: The number of bytes that the server has, according to the client.
    /// - Throws: ``UploadRefusal`` if the server has another number of bytes, or another request is appending;
    ///   QUOTA_EXCEEDED and THROTTLED if the user has no room for the whole file.
    func open(_ partial: PartialUpload, at offset: Int64) async throws -> PartialFile {
        let partials = server.storage.assets.partials
        do {
            var file = try await server.configuration.runner.run { try partials.open(partial.name) }
            do {
                guard file?.size ?? 0 == offset else { throw UploadRefusal.elsewhere(offset, has: file?.size ?? 0) }
                try await makeRoom(for: partial, received: offset)
                if let file { return file }
                file = try await server.configuration.runner.run { try partials.openOrMake(partial.name) }
                guard let file, file.size == offset else {
                    throw UploadRefusal.elsewhere(offset, has: file?.size ?? 0)
                }
                return file
            } catch {
                try await server.configuration.runner.run { [file] in file?.close() }
                throw error
            }
        } catch let busy as PartialFolder.IsBusy {
            throw UploadRefusal.busy(busy.size)
        }
    }

    /// Removes the user's least recently used incomplete files, as far as this file needs their room.
    private func makeRoom(for partial: PartialUpload, received: Int64) async throws {
        let quotas = server.configuration.userQuotas, most = PartialUpload.filesPerUser
        let room = try await requireRoom(
            for: partial.upload, bytes: Int(partial.content.size), received: Int(received))
        let left = try await server.configuration.runner.run { [partials = server.storage.assets.partials] in
            try partials.makeRoom(beside: partial.name, files: most - 1, bytes: Int64(room))
        }
        guard left.files < most else {
            throw WireError(
                .throttled, "a user may send \(most) files in parts at a time; wait for the others to end",
                retryAfter: 1)
        }
        guard left.bytes <= Int64(room) else { throw quotas.exceeded("bytes", quotas.bytes) }
    }

    /// Requires room in the user's quota for an upload.
    ///
    /// - Parameter received: The bytes of it that are on the disk already.
    /// - Throws: QUOTA_EXCEEDED if the user has no room for another asset; ``TransactionFailure`` if the disk has none.
    /// - Returns: The bytes of room left beside it.
    @discardableResult
    func requireRoom(for upload: AssetReceipts.Upload, bytes: Int, received: Int = 0) async throws -> Int {
        let quotas = server.configuration.userQuotas
        let waiting = server.ledger.uploadedBytes(of: upload.user, at: server.clock.uptime())
        let used = try await server.storage.read { reading in
            let key = DatabaseKey(tenant: upload.tenant, scope: .private, owner: upload.user)
            return try reading.owner(key).map { try reading.usage(tenantID: $0.tenantID, user: upload.user).bytes } ?? 0
        }
        // The client states the number of bytes, up to the largest integer. So it is never added to another number.
        let left = quotas.bytes - used - waiting
        guard bytes <= left else { throw quotas.exceeded("bytes", quotas.bytes) }
        try await server.storage.requireRoom(forFile: bytes - received)
        return left - bytes
    }

    /// Takes a file after its last byte, and returns the value for the record's field.
    ///
    /// The file is removed if it was taken, or if it differs from the announced one. After another error it stays, so
    /// the client can try again.
    ///
    /// - Throws: ``UploadRefusal`` if the content differs from the announced one.
    func adopt(_ file: PartialFile, _ partial: PartialUpload) async throws -> AssetUploadReceipt {
        let runner = server.configuration.runner
        let received = try await runner.run { try file.whole() }
        guard received.checksum == partial.content.checksum, received.size == partial.content.size else {
            throw UploadRefusal.otherContent(partial.content)
        }
        server.metrics.assetBytesReceived.increment(by: received.size)
        let receipt = try await keep(received, partial.upload)
        endedUploads.withLock { $0.insert(true, for: partial.name) }
        return receipt
    }

    /// Removes incomplete files after a day without progress, or after the retention of uploads if it is longer.
    func removePartials() async throws {
        let lifetime = max(PartialUpload.lifetime, Int64(server.configuration.uploadRetention) * 1000)
        let time = server.clock.milliseconds() - lifetime
        try await server.configuration.runner.run { [partials = server.storage.assets.partials] in
            try partials.removeAll(unusedSince: time)
        }
    }
}
