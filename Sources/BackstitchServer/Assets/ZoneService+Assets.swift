import Backstitch
import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import Logging

extension ZoneService {
    /// `assets/upload`: places to which files can be sent.
    func uploadAddresses(_ request: AssetUploadRequest, _ scope: RequestScope) async throws -> AssetUploadResponse {
        try scope.checkCount(request.tokens.count, of: "tokens")
        let name = try scope.zoneName(request.zoneID)
        if name != ZoneID.defaultZoneName {
            _ = try await storage.read { reading in
                try find(name, try reading.owner(scope.database), reading)
            }
        }
        let expires = clock.milliseconds() + Int64(configuration.uploadRetention) * 1000
        return AssetUploadResponse(
            tokens: try request.tokens.map { token in
                if let fault = RecordRules.fault(inFieldName: token.fieldName) { throw WireError(.badRequest, fault) }
                let recordName = token.recordName ?? random.uuid()
                if let fault = RecordRules.fault(inRecordName: recordName) { throw WireError(.badRequest, fault) }
                let upload = AssetReceipts.Upload(
                    tenant: scope.database.tenant, user: scope.user, field: token.fieldName,
                    limit: scope.limits.asset, expires: expires)
                return AssetUploadResponse.Token(
                    recordName: recordName, fieldName: token.fieldName,
                    url: "\(scope.baseURL)/assets/bytes?ticket=\(receipts.ticket(upload))")
            })
    }

    /// The upload that an address allows.
    ///
    /// - Throws: NOT_FOUND for an address that this server did not make, for one of a user who has gone, and for one
    ///   that has expired: each time the client needs another one, and is not to be told that its bytes are wrong.
    func upload(ticket: some StringProtocol) throws(WireError) -> AssetReceipts.Upload {
        guard let upload = receipts.upload(ticket: ticket) else { throw WireError(.notFound, "unknown upload address") }
        guard users.knows(upload.user) else { throw WireError(.notFound, "unknown upload address") }
        guard upload.expires > clock.milliseconds() else {
            throw WireError(.notFound, "the upload address has expired; ask assets/upload for another")
        }
        return upload
    }

    /// Takes a file that was received, and gives the value for the record's field. A file that cannot be taken goes.
    func adopt(_ received: ReceivedFile, _ upload: AssetReceipts.Upload) async throws -> AssetUploadReceipt {
        let database = DatabaseKey(tenant: upload.tenant, scope: .private, owner: upload.user)
        let uploaded = clock.milliseconds()
        let assets = storage.assets
        do {
            // The disk is waited for here, where nobody waits along, and not by the one writer.
            if let tenantID = try await storage.read({ try $0.owner(database)?.tenantID }) {
                try await configuration.runner.run {
                    try assets.adopt(received.file, tenantID: tenantID, received.checksum)
                }
            }
            try await storage.write(for: upload.user, bytes: 0) { writing in
                let owner = try makeOwner(database, of: upload.user, writing)
                // Nobody had been here before, or the same content was removed just now. From here on no removal comes
                // in between. A file whose row is not written after all goes at the next start.
                if !assets.has(tenantID: owner.tenantID, received.checksum) {
                    try assets.adopt(received.file, tenantID: owner.tenantID, received.checksum)
                }
                try writing.putAsset(
                    StoredAsset(
                        tenantID: owner.tenantID, checksum: received.checksum, size: received.size,
                        uploaded: uploaded))
            }
        } catch {
            try await configuration.runner.run { received.discard() }
            throw error
        }
        try await configuration.runner.run { received.discard() }
        ledger.noteUpload(
            Int(clamping: received.size), of: upload.user,
            until: uploaded + Int64(configuration.uploadRetention) * 1000,
            at: uploaded)
        let receipt = receipts.receipt(
            checksum: received.checksum, size: received.size, tenant: upload.tenant, user: upload.user,
            field: upload.field)
        return AssetUploadReceipt(
            singleFile: WireAsset(fileChecksum: received.checksum.wire, size: received.size, receipt: receipt))
    }

    /// The file of a download address.
    ///
    /// - Throws: NOT_FOUND for an address that this server did not make, for one that has expired, and where the asset
    ///   is gone: the record tells more.
    func download(
        tenantID: Int64, checksum: AssetChecksum, expires: Int64, mark: String
    ) async throws -> (file: URL, size: Int64) {
        guard receipts.isGenuine(mark: mark, tenantID: tenantID, checksum, expires: expires) else {
            throw WireError(.notFound, "unknown download address")
        }
        guard expires > clock.milliseconds() else {
            throw WireError(.notFound, "the download address has expired; look the record up again")
        }
        let asset = try await storage.read { try $0.asset(tenantID: tenantID, checksum: checksum) }
        guard let asset else { throw Self.goneAsset }
        let file = storage.assets.file(tenantID: tenantID, checksum)
        guard try await configuration.runner.run({ FileManager.default.fileExists(atPath: file.path) }) else {
            configuration.logger.error(
                "an asset's file is missing; restore it from a backup", metadata: ["file": "\(file.path)"])
            throw Self.goneAsset
        }
        return (file, asset.size)
    }

    /// For a download of what the storage does not have, or has no more.
    static let goneAsset = WireError(.notFound, "the asset is gone")
}
