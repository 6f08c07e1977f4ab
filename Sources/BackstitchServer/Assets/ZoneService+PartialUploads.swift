import Backstitch
import BackstitchSupport
import CloudWire
import CoreMetrics

extension ZoneService {
    /// The file that a token announces; nil for a token that announces none.
    ///
    /// - Throws: BAD_REQUEST for one that announces half of it, or what cannot be.
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

    /// How much of a file the server has from this user: also all of it, while this server remembers that it came.
    func size(of partial: PartialUpload) async throws -> Int64 {
        let size = try await configuration.runner.run { [partials = storage.assets.partials] in
            try partials.size(of: partial.name)
        }
        guard size == 0, hasEnded(partial) else { return size }
        let database = DatabaseKey(tenant: partial.upload.tenant, scope: .private, owner: partial.upload.user)
        guard let tenantID = try await storage.read({ try $0.owner(database)?.tenantID }) else { return 0 }
        let row = try await row(of: AssetName(tenantID: tenantID, checksum: partial.content.checksum))
        return row?.size == partial.content.size ? partial.content.size : 0
    }

    /// The value for the record's field once more, for a client that has not heard it; nil where the file is to be
    /// sent.
    func receiptAgain(_ partial: PartialUpload) async throws -> AssetUploadReceipt? {
        hasEnded(partial) ? try await renew(partial.content, partial.upload) : nil
    }

    private func hasEnded(_ partial: PartialUpload) -> Bool {
        endedUploads.withLock { $0.use(partial.name) } != nil
    }

    /// The file to which an upload appends, for it alone.
    ///
    /// - Parameter offset: The bytes that the client takes the server to have.
    /// - Throws: ``UploadRefusal`` where the server has others, or another request appends to it; QUOTA_EXCEEDED and
    ///   THROTTLED where the user has no room for the whole file.
    func open(_ partial: PartialUpload, at offset: Int64) async throws -> PartialFile {
        let partials = storage.assets.partials
        do {
            var file = try await configuration.runner.run { try partials.open(partial.name) }
            do {
                guard file?.size ?? 0 == offset else { throw UploadRefusal.elsewhere(offset, has: file?.size ?? 0) }
                try await makeRoom(for: partial)
                if let file { return file }
                file = try await configuration.runner.run { try partials.openOrMake(partial.name) }
                guard let file, file.size == offset else {
                    throw UploadRefusal.elsewhere(offset, has: file?.size ?? 0)
                }
                return file
            } catch {
                try await configuration.runner.run { [file] in file?.close() }
                throw error
            }
        } catch let busy as PartialFolder.IsBusy {
            throw UploadRefusal.busy(busy.size)
        }
    }

    /// Removes the user's other parts that have stood still for longest, as far as there is no room for this file.
    private func makeRoom(for partial: PartialUpload) async throws {
        let quotas = configuration.userQuotas, most = PartialUpload.filesPerUser
        let room = try await requireRoom(for: partial.upload, bytes: Int(partial.content.size))
        let left = try await configuration.runner.run { [partials = storage.assets.partials] in
            try partials.makeRoom(beside: partial.name, files: most - 1, bytes: Int64(room))
        }
        guard left.files < most else {
            throw WireError(
                .throttled, "a user may send \(most) files in parts at a time; wait for the others to end",
                retryAfter: 1)
        }
        guard left.bytes <= Int64(room) else { throw quotas.exceeded("bytes", quotas.bytes) }
    }

    /// Takes a file whose last byte has come, and gives the value for the record's field. The file goes when it was
    /// taken, and when it is another one than was announced; else it stays, so that the client can ask once more.
    ///
    /// - Throws: ``UploadRefusal`` for another file.
    func adopt(_ file: PartialFile, _ partial: PartialUpload) async throws -> AssetUploadReceipt {
        let runner = configuration.runner
        let received = try await runner.run { try file.whole() }
        guard received.checksum == partial.content.checksum, received.size == partial.content.size else {
            throw UploadRefusal.otherContent(partial.content)
        }
        metrics.assetBytesReceived.increment(by: received.size)
        let receipt = try await keep(received, partial.upload)
        endedUploads.withLock { $0.insert(true, for: partial.name) }
        return receipt
    }

    /// Removes parts of files that nobody has gone on with for a day.
    func removePartials() async throws {
        let lifetime = max(PartialUpload.lifetime, Int64(configuration.uploadRetention) * 1000)
        let time = clock.milliseconds() - lifetime
        try await configuration.runner.run { [partials = storage.assets.partials] in
            try partials.removeAll(unusedSince: time)
        }
    }
}
