import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

extension SyncServices {
    /// An asset that is sent before its record.
    struct Upload: Sendable {
        /// The name of the record, with its type and field below.
        let recordName: String
        let recordType: String?
        let field: String
        let reference: AssetReference
        /// The key of its bytes, if they are encrypted.
        let contentKey: AssetContentKey?
        let place: AssetPlace
        /// The bytes, if it is a large value that is sent as an asset for lack of room in the record.
        var data: Data?

        var attribute: String { place.attribute }
        /// The upload in the totals of all transfers.
        var counted: AssetTransfers.Upload { AssetTransfers.Upload(place: place, reference: reference) }
    }

    /// Uploads the assets of a batch that the server does not have yet, then sends its records.
    func send(_ batch: PushBatch) async throws -> PushReply {
        let uploads = batch.items.enumerated().flatMap { position, item in
            item.uploads(settings.model).map { (position: position, upload: $0) }
        }
        guard !uploads.isEmpty else { return try await sendUnmoved(batch) }
        var ready = batch
        var refused: [Int: RecordFault] = [:]
        func take(_ receipt: Result<WireAsset, RecordFault>, _ position: Int, _ upload: Upload) {
            switch receipt {
            case .success(let asset): ready.items[position].operation.record.fields[upload.field] = .asset(asset)
            case .failure(let fault): refused[position] = fault
            }
        }
        var open: [(position: Int, upload: Upload)] = []
        for (position, upload) in uploads {
            let held = heldUploads.outcome(of: upload, inZone: settings.zoneNumber, at: clock.uptime())
            if let held { take(held, position, upload) } else { open.append((position, upload)) }
        }
        try await expect(open.map(\.upload))
        for chunk in open.parts(of: min(client.limits.operations, 200)) {
            for ((position, upload), receipt) in zip(chunk, try await self.upload(chunk.map(\.upload))) {
                take(receipt, position, upload)
            }
        }
        let positions = ready.items.indices.filter { refused[$0] == nil }
        var reply = PushReply(answers: ready.items.indices.map { PushReply.Answer(refused[$0] ?? RecordFault("")) })
        if !positions.isEmpty {
            let part = PushBatch(
                items: positions.map { ready.items[$0] },
                // Receipts differ between tries, so a repeated request would not have equal bytes.
                idempotencyKey: nil, token: batch.token)
            // A receipt of another server may be valid only once.
            defer { if !client.hasExtensions { heldUploads.forget(uploads.map(\.upload.place)) } }
            var taken = try await patiently { try await sendUnmoved(part) }
            for (position, answer) in zip(positions, taken.answers) { reply.answers[position] = answer }
            taken.answers = reply.answers
            reply = taken
        }
        heldUploads.forget(uploads.filter { reply.answers[$0.position].isFinal }.map(\.upload.place))
        return reply
    }

    /// Counts uploads among those of the push.
    func expect(_ uploads: [Upload]) async throws {
        if uploads.isEmpty { return }
        if !transfers.areUploadsExpected {
            transfers.expect(
                try await onWholeStore { [settings] in try $0.readJournal { try $0.unsentAssets(settings) } })
        }
        transfers.expect(uploads.map(\.counted))
    }

    /// Sends a batch, unless another sync has changed the store since the batch was chosen, for example while assets
    /// were sent.
    func sendUnmoved(_ batch: PushBatch) async throws -> PushReply {
        try await onWholeStore { [settings] in try settings.generation.requireUnmoved($0) }
        return try await client.send(batch)
    }

    /// Uploads assets. Equal ones are uploaded once if the server allows that.
    ///
    /// - Parameter most: The most uploads at a time.
    func upload(_ uploads: [Upload], atOnce most: Int = 4) async throws -> [Result<WireAsset, RecordFault>] {
        // A receipt of a server with this project's extensions is valid for that field of any record.
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
        let receipts = try await uploadEach(groups.map { $0.map { uploads[$0] } }, atOnce: most)
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

    /// Uploads assets one by one: large ones in parts, each to its own address.
    ///
    /// - Parameter groups: Uploads of the same bytes each; the first is made for all of its group.
    private func uploadEach(
        _ groups: [[Upload]], atOnce most: Int
    ) async throws -> [[Result<WireAsset, RecordFault>]] {
        let uploads = groups.map { $0[0] }
        let whole = uploads.indices.filter { !goesInParts(uploads[$0]) }
        let tokens = whole.map { index in
            AssetUploadRequest.Token(
                recordName: uploads[index].recordName, recordType: uploads[index].recordType,
                fieldName: uploads[index].field)
        }
        let places = try await places(for: zip(whole, tokens).map { (uploads[$0], $1) })
        let addresses = Dictionary(uniqueKeysWithValues: zip(whole, places))
        return try await inParallel(uploads.count, atOnce: most) { index in
            let work: @Sendable () async throws -> Result<WireAsset, RecordFault> = {
                switch addresses[index] {
                case .success(let address)?: try await upload(uploads[index], to: address)
                case .failure(let fault)?: .failure(fault)
                case nil: try await uploadInParts(uploads[index])
                }
            }
            // Large values are a part of their record, so they cannot be paused.
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

    /// Returns the upload addresses for some assets, or the server's reasons for refusing them.
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
            .superseded,
            BackstitchError(.asset, "the bytes of \(upload.attribute) were removed before they could be sent"))
    }

    static func hasRunOut(_ upload: Upload) -> SyncFailure {
        SyncFailure(
            .superseded,
            BackstitchError(
                .asset, "the address for the bytes of \(upload.attribute) has expired; sync asks for another one"))
    }

    static func receipt(_ response: TransportResponse) throws(SyncFailure) -> WireAsset {
        do { return try AssetUploadReceipt(wireJSON: response.body).singleFile } catch {
            throw SyncFailure(
                .permanent,
                BackstitchError(.protocolViolation, "the server's receipt of an asset cannot be read", cause: error))
        }
    }

    /// Returns the server's reason for rejecting the bytes.
    ///
    /// - Throws: ``SyncFailure`` if the reason does not concern the asset.
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

    /// Runs `work` for each number below `count`, at most `most` at a time.
    ///
    /// - Returns: The results, in order.
    func inParallel<Value: Sendable>(
        _ count: Int, atOnce most: Int = 4, _ work: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            var next = 0
            while next < min(most, count) {
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
    /// Returns the time limit of a transfer in milliseconds: that of a request, and ten more for each KiB (a line of
    /// 100 KiB a second).
    func transferTimeout(bytes: Int) -> Int64 { options.requestTimeout + Int64(bytes / 1_024) * 10 }
}

extension PushItem {
    /// Returns the assets whose bytes are sent before the record, in order of attributes.
    func uploads(_ model: SyncedModel) -> [SyncServices.Upload] {
        if assets.isEmpty { return [] }
        let entity = model.entity(named: entry.objectID.entityName)
        return assets.sorted { $0.key < $1.key }.map { attribute, reference in
            let data = large[attribute]
            return SyncServices.Upload(
                recordName: operation.record.recordName, recordType: operation.record.recordType,
                field: (entity?.wireName(of: attribute) ?? attribute) + (data == nil ? "" : LargeFields.suffix),
                reference: reference, contentKey: assetKeys[attribute],
                place: AssetPlace(key: entry.objectID.key, attribute: attribute), data: data)
        }
    }
}

extension PushReply.Answer {
    /// Whether the answer is final, so that the next push does not send the same bytes.
    fileprivate var isFinal: Bool {
        switch self {
        case .done, .refused, .held, .unauthorized, .denied: true
        case .conflict, .moved, .later, .parentless, .untouched: false
        }
    }
}
