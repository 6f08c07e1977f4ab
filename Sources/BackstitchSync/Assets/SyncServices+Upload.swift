import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

extension SyncServices {
    /// An asset that goes before its record.
    struct Upload: Sendable {
        let position: Int
        let attribute: String
        /// The record's field.
        let field: String
        let reference: AssetReference
        /// The key of its bytes, where they are encrypted.
        let contentKey: AssetContentKey?
        let place: AssetPlace
        /// The bytes, of a value that travels as an asset for want of room.
        var data: Data?

        /// As it counts among all transfers.
        var counted: AssetTransfers.Upload { AssetTransfers.Upload(place: place, reference: reference) }
    }

    /// Uploads the assets of a batch, then sends its records.
    func send(_ batch: PushBatch) async throws -> PushReply {
        let uploads = batch.items.enumerated().flatMap { position, item in
            let entity = settings.model.entity(named: item.entry.objectID.entityName)
            return item.assets.sorted { $0.key < $1.key }.map { attribute, reference in
                let data = item.large[attribute]
                let field = (entity?.wireName(of: attribute) ?? attribute) + (data == nil ? "" : LargeFields.suffix)
                return Upload(
                    position: position, attribute: attribute, field: field,
                    reference: reference, contentKey: item.assetKeys[attribute],
                    place: .init(key: item.entry.objectID.key, attribute: attribute), data: data)
            }
        }
        guard !uploads.isEmpty else { return try await sendUnmoved(batch) }
        if !transfers.areUploadsExpected {
            transfers.expect(
                try await onWholeStore { [settings] in try $0.readJournal { try $0.unsentAssets(settings) } })
        }
        transfers.expect(uploads.map(\.counted))
        var ready = batch
        var refused: [Int: RecordFault] = [:]
        for chunk in uploads.parts(of: min(client.limits.operations, 200)) {
            let receipts = try await upload(Array(chunk), of: batch)
            for (upload, receipt) in zip(chunk, receipts) {
                switch receipt {
                case .success(let asset):
                    ready.items[upload.position].operation.record.fields[upload.field] = .asset(asset)
                case .failure(let fault): refused[upload.position] = fault
                }
            }
        }
        let positions = ready.items.indices.filter { refused[$0] == nil }
        var answers = ready.items.indices.map { PushReply.Answer(refused[$0] ?? RecordFault("")) }
        guard !positions.isEmpty else { return PushReply(answers: answers) }
        let part = PushBatch(
            items: positions.map { ready.items[$0] },
            // Receipts differ from try to try, and so do the bytes that a repeat would have to equal.
            idempotencyKey: nil, token: batch.token)
        var reply = try await patiently { try await sendUnmoved(part) }
        for (position, answer) in zip(positions, reply.answers) { answers[position] = answer }
        reply.answers = answers
        return reply
    }

    /// Sends a batch unless somebody else has moved the store since that was chosen, be it while assets were sent.
    func sendUnmoved(_ batch: PushBatch) async throws -> PushReply {
        try await onWholeStore { [settings] in try settings.generation.requireUnmoved($0) }
        return try await client.send(batch)
    }

    /// Uploads assets, equal ones once where the server allows that.
    private func upload(
        _ uploads: [Upload], of batch: PushBatch
    ) async throws -> [Result<WireAsset, RecordFault>] {
        // A receipt of a server with our extensions is good for that field of any record.
        var numbers: [UploadContent: Int] = [:], groups: [[Int]] = []
        for (index, upload) in uploads.enumerated() {
            let content = UploadContent(field: upload.field, reference: upload.reference)
            if client.hasExtensions, upload.contentKey == nil, let number = numbers[content] {
                groups[number].append(index)
            } else {
                numbers[content] = groups.count
                groups.append([index])
            }
        }
        let receipts = try await uploadEach(groups.map { $0.map { uploads[$0] } }, of: batch)
        var results = [Result<WireAsset, RecordFault>](repeating: .failure(RecordFault("")), count: uploads.count)
        for (group, receipts) in zip(groups, receipts) {
            for (index, receipt) in zip(group, receipts) { results[index] = receipt }
        }
        return results
    }

    private struct UploadContent: Hashable {
        let field: String
        let reference: AssetReference
    }

    /// Uploads assets one by one: large ones in parts, each with an address of its own.
    ///
    /// - Parameter groups: Uploads of the same bytes each, of which the first is made for all.
    private func uploadEach(
        _ groups: [[Upload]], of batch: PushBatch
    ) async throws -> [[Result<WireAsset, RecordFault>]] {
        let uploads = groups.map { $0[0] }
        let whole = uploads.indices.filter { !goesInParts(uploads[$0]) }
        let tokens = whole.map { index in
            let record = batch.items[uploads[index].position].operation.record
            return AssetUploadRequest.Token(
                recordName: record.recordName, recordType: record.recordType, fieldName: uploads[index].field)
        }
        let places = try await places(for: zip(whole, tokens).map { (uploads[$0], $1) })
        let addresses = Dictionary(uniqueKeysWithValues: zip(whole, places))
        return try await inParallel(uploads.count) { index in
            let work: @Sendable () async throws -> Result<WireAsset, RecordFault> = {
                switch addresses[index] {
                case .success(let address)?: try await upload(uploads[index], to: address)
                case .failure(let fault)?: .failure(fault)
                case nil: try await uploadInParts(uploads[index], of: batch)
                }
            }
            // Large values are a part of their record, and do not rest.
            let results: [Result<Result<WireAsset, RecordFault>, UploadStops.Reason>]
            if uploads[index].data == nil {
                results = try await stops.run(for: groups[index].map(\.place), work)
            } else {
                let receipt = try await work()
                results = groups[index].map { _ in .success(receipt) }
            }
            return zip(groups[index], results).map { upload, result -> Result<WireAsset, RecordFault> in
                switch result {
                case .success(let receipt):
                    if case .success = receipt { transfers.uploaded(upload.counted) }
                    return receipt
                case .failure(let reason): return .failure(RecordFault(reason, of: upload.attribute))
                }
            }
        }
    }

    /// The addresses for some assets, or why the server gives none.
    func places(
        for wanted: [(upload: Upload, token: AssetUploadRequest.Token)]
    ) async throws -> [Result<String, RecordFault>] {
        if wanted.isEmpty { return [] }
        let answer: AssetUploadResponse
        do {
            answer = try await patiently {
                try await client.call(
                    .assetsUpload, AssetUploadRequest(zoneID: client.zone, tokens: wanted.map(\.token)),
                    as: AssetUploadResponse.self)
            }
        } catch let failure as SyncFailure where (failure.error.cause as? WireError)?.code == .accessDenied {
            var fault = RecordFault(failure.error.message)
            fault.isDenied = true
            return wanted.map { [fault] _ in .failure(fault) }
        }
        guard answer.tokens.count == wanted.count else { throw Self.lacksPlaces }
        return zip(wanted, answer.tokens).map { wanted, place in
            guard let error = place.error else { return .success(place.url) }
            return .failure(
                RecordFault("the server does not take the bytes of \(wanted.upload.attribute): \(error.description)"))
        }
    }

    static var lacksPlaces: SyncFailure {
        SyncFailure(
            .permanent, BackstitchError(.protocolViolation, "the server's answer to assets/upload lacks places"))
    }

    static func haveGone(_ upload: Upload) -> SyncFailure {
        SyncFailure(
            .superseded, BackstitchError(.asset, "the bytes of \(upload.attribute) went while they were to be sent"))
    }

    static func hasRunOut(_ upload: Upload) -> SyncFailure {
        SyncFailure(
            .superseded,
            BackstitchError(
                .asset, "the address for the bytes of \(upload.attribute) has run out; another one is asked for"))
    }

    static func receipt(_ response: TransportResponse) throws(SyncFailure) -> WireAsset {
        do { return try AssetUploadReceipt(wireJSON: response.body).singleFile } catch {
            throw SyncFailure(
                .permanent,
                BackstitchError(.protocolViolation, "the server's receipt of an asset cannot be read", cause: error))
        }
    }

    /// Why the server takes no bytes.
    ///
    /// - Throws: ``SyncFailure`` where that says nothing of the asset.
    func refusal(_ response: TransportResponse, of upload: Upload) throws(SyncFailure) -> RecordFault {
        switch response.status {
        case 400, 413:
            if (try? WireError(wireJSON: response.body))?.code == .quotaExceeded {
                throw client.failure(of: response, .assetsUpload)
            }
            let reason = (try? WireError(wireJSON: response.body))?.description ?? "status \(response.status)"
            return RecordFault("the server does not take the bytes of \(upload.attribute): \(reason)")
        case 404, 410: throw Self.hasRunOut(upload)
        default: throw client.failure(of: response, .assetsUpload)
        }
    }

    func upload(_ upload: Upload, to url: String) async throws -> Result<WireAsset, RecordFault> {
        transfers.setUploaded(0, upload.place)
        defer { transfers.setUploaded(nil, upload.place) }
        let data = try await onStore { [settings] _ in
            let data = try upload.data ?? settings.assets.read(upload.reference)
            guard let data, let key = upload.contentKey else { return data }
            return try AssetFrames.seal(data, with: key)
        }
        guard let data else { throw Self.haveGone(upload) }
        if let fault = client.hostFault(of: url) { return .failure(RecordFault(fault)) }
        let response: TransportResponse
        do {
            response = try await patiently {
                try await client.transferAsset(
                    "POST", url, body: Array(data),
                    timeout: client.pace(.uploads).time(client.transferTimeout(bytes: data.count)),
                    maximumResponse: 1 << 20)
            }
        } catch let failure as SyncFailure {
            if failure.tookTooLong { client.changePace(.uploads) { $0.tookTooLong(1) } }
            throw failure
        }
        guard response.status == 200 else { return .failure(try refusal(response, of: upload)) }
        let asset = try Self.receipt(response)
        if !client.hasExtensions, upload.contentKey == nil, upload.data == nil {
            // The record will come back with the server's name of the same bytes.
            try await onStore { [settings] _ in
                try settings.assets.accept(data, as: AssetReference(asset, isHash: false))
            }
        }
        return .success(asset)
    }

    /// Runs `work` for each number below `count`, four at a time.
    ///
    /// - Returns: The results, in order.
    func inParallel<Value: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            var next = 0
            while next < min(4, count) {
                let index = next
                group.addTask { (index, try await work(index)) }
                next += 1
            }
            while let (index, value) = try await group.next() {
                values[index] = value
                if next < count {
                    let index = next
                    group.addTask { (index, try await work(index)) }
                    next += 1
                }
            }
            return values.compactMap { $0 }
        }
    }
}

extension CloudClient {
    /// Milliseconds that a transfer may take: what a request may, and ten more for each KiB (a line of 100 KiB a
    /// second).
    func transferTimeout(bytes: Int) -> Int64 { options.requestTimeout + Int64(bytes / 1_024) * 10 }
}
