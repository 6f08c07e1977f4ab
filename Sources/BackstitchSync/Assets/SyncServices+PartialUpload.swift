import Backstitch
import BackstitchSupport
import CloudWire

/// Sends large assets in parts to a server with this project's extensions. So memory use does not depend on the size,
/// and an interrupted upload continues from the same place, even after a restart. See Documentation/Server.md.
extension SyncServices {
    /// The size of a part, in bytes.
    private static let partSize = 4 << 20
    /// The size of a part on the slowest connections, in bytes.
    private static let smallestPart = 64 << 10
    /// The most restarts of an upload without progress on the server.
    private static let mostRestarts = 3

    /// The milliseconds between two restarts.
    private static let pause: Int64 = 1_000

    private static func isWritten(_ upload: Upload) -> SyncFailure {
        SyncFailure(
            .busy,
            BackstitchError(
                .server,
                "the server takes the bytes of \(upload.attribute) from another request; it is asked again later"))
    }

    /// Returns whether an asset is sent in parts. An asset with the checksum of another server is sent whole, because
    /// this project's server could not check it.
    func goesInParts(_ upload: Upload) -> Bool {
        client.hasExtensions && upload.reference.size > Int64(Self.partSize)
            && (upload.contentKey != nil || AssetChecksum(wire: upload.reference.checksum) != nil)
    }

    /// Uploads one asset in parts.
    func uploadInParts(_ upload: Upload) async throws -> Result<WireAsset, RecordFault> {
        transfers.setUploaded(0, upload.place)
        defer { transfers.setUploaded(nil, upload.place) }
        let bytes = try await onStore { [settings, partials] _ in
            try upload.data.map { UploadBytes($0, as: upload.reference) }
                ?? UploadBytes(upload.reference, in: settings.assets, sealedWith: upload.contentKey, partials)
        }
        guard let bytes else { throw Self.haveGone(upload) }
        let result: Result<WireAsset, RecordFault>
        do { result = try await send(bytes, of: upload) } catch {
            try await onStore { [partials] _ in try bytes.remove(from: partials) }
            throw error
        }
        try await onStore { [partials] _ in try bytes.remove(from: partials) }
        return result
    }

    private func send(_ bytes: UploadBytes, of upload: Upload) async throws -> Result<WireAsset, RecordFault> {
        let url: String
        switch try await address(for: upload, bytes) {
        case .success(let address): url = address
        case .failure(let fault): return .failure(fault)
        }
        if let fault = client.hostFault(of: url) { return .failure(RecordFault(fault)) }
        guard var offset = try await takenBytes(of: bytes, at: url, upload) else {
            // The server does not accept parts for this one.
            return try await self.upload(upload, to: url)
        }
        var restarts = 0
        while true {
            transfers.setUploaded(Double(offset) / Double(bytes.size), upload.place)
            let share = Int64(max(client.pace(.parts).share(of: Self.partSize), Self.smallestPart))
            let range = offset..<min(offset + share, bytes.size)
            let part = try await onStore { _ in try bytes.part(range) }
            let response: TransportResponse
            do { response = try await exchange("PATCH", url, part, at: offset) } catch let failure as SyncFailure
                where failure.kind == .network && restarts < Self.mostRestarts
            {
                // The upload continues here, because the next batch would encrypt the asset differently.
                try await clock.sleep(milliseconds: Self.pause)
                guard let taken = try await takenBytes(of: bytes, at: url, upload) else { throw failure }
                (offset, restarts) = (taken, taken > offset ? 0 : restarts + 1)
                continue
            }
            let taken = response.header(WireHeader.uploadOffset).flatMap { Int64($0) }
            switch (response.status, taken) {
            case (200, _): return .success(try Self.receipt(response))
            case (204, let taken?) where taken > offset && taken < bytes.size:
                (offset, restarts) = (taken, 0)
            case (409, let taken?) where (0...bytes.size).contains(taken):
                // Another request is writing the asset, perhaps an earlier one of this device that the server does not
                // know to be over.
                guard restarts < Self.mostRestarts else { throw Self.isWritten(upload) }
                try await clock.sleep(milliseconds: Self.pause)
                (offset, restarts) = (taken, restarts + 1)
            // The bytes at the server were damaged.
            case (400, 0?) where restarts < Self.mostRestarts && offset > 0:
                (offset, restarts) = (0, restarts + 1)
            default: return .failure(try refusal(response, of: upload))
            }
        }
    }

    private func address(
        for upload: Upload, _ bytes: UploadBytes
    ) async throws -> Result<String, RecordFault> {
        let token = AssetUploadRequest.Token(
            recordName: upload.recordName, recordType: upload.recordType, fieldName: upload.field,
            fileChecksum: bytes.checksum, size: bytes.size)
        switch try await places(for: [(upload, token)]).first {
        case .success(let address)?: return .success(address)
        case .failure(let fault)?: return .failure(fault)
        case nil: throw Self.lacksPlaces
        }
    }

    /// Returns the number of bytes that the server has from an earlier upload; nil if the address accepts no parts.
    private func takenBytes(of bytes: UploadBytes, at url: String, _ upload: Upload) async throws -> Int64? {
        let response = try await exchange("HEAD", url, [], at: nil)
        guard response.status == 200, let taken = response.header(WireHeader.uploadOffset).flatMap({ Int64($0) }),
            (0...bytes.size).contains(taken)
        else {
            switch response.status {
            case 404, 410: throw Self.hasRunOut(upload)
            case 400..<500: return nil
            default: throw client.failure(of: response, .assetsUpload)
            }
        }
        return taken
    }

    private func exchange(
        _ method: String, _ url: String, _ body: [UInt8], at offset: Int64?
    ) async throws -> TransportResponse {
        do {
            let response = try await patiently {
                try await client.transferAsset(
                    method, url, body: body, headers: offset.map { [(WireHeader.uploadOffset, String($0))] } ?? [],
                    timeout: client.pace(.parts).time(client.transferTimeout(bytes: body.count)),
                    maximumResponse: 1 << 20)
            }
            client.changePace(.parts) { $0.succeeded(body.count, of: Self.partSize) }
            return response
        } catch let failure as SyncFailure {
            // A request without a body does not show how much can be sent in time.
            if failure.tookTooLong, !body.isEmpty {
                client.changePace(.parts) { $0.tookTooLong(body.count, smallest: Self.smallestPart) }
            }
            throw failure
        }
    }
}
