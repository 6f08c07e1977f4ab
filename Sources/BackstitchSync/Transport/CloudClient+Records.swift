import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// Sends a batch, and fetches the server's record for each change that met another version. The server takes all of
    /// it or nothing, so that no device sees a part of a save. The other changes of a refused batch are sent again when
    /// the refused one is settled.
    ///
    /// - Throws: ``SyncFailure``; of the kind `busy` if the tokens have changed since the last check of the account: a
    ///   user's changes are never sent under another user's name.
    func send(_ batch: PushBatch) async throws -> PushReply {
        guard keeper.isAccountKnown else {
            throw SyncFailure(
                .busy,
                BackstitchError(
                    .authentication,
                    "the credentials were replaced before changes were sent; the user of the new ones is checked "
                        + "first"))
        }
        if batch.items.contains(where: { $0.departure != nil }) { return try await sendMoves(batch) }
        let response = try await modify(request(for: batch), of: batch)
        let results = try Self.results(
            response.records, for: batch.items.map(\.operation.record.recordName), .recordsModify)
        var answers: [PushReply.Answer] = []
        answers.reserveCapacity(batch.items.count)
        var unknown: [Int] = []
        var anchor: ZoneAnchor?
        for (index, result) in results.enumerated() {
            switch result {
            case .record(let record):
                anchor = anchor ?? ZoneAnchor(batch.items[index].entry.objectID.key, record)
                guard !record.deleted || batch.items[index].operation.operationType.isDeletion else {
                    throw Self.violation("the server has deleted \"\(record.recordName)\", which was to be saved")
                }
                answers.append(.done(changeTag: record.recordChangeTag))
            case .error(let error):
                if error.error.code == .zoneNotFound { throw failure(of: error.error, .recordsModify) }
                if let answer = answer(to: batch.items[index], error) {
                    answers.append(answer)
                } else {
                    unknown.append(index)
                    answers.append(.conflict(nil))
                }
            }
        }
        try await lookUp(unknown, of: batch, into: &answers)
        if results.contains(where: \.isMissing) { try await assureLife(batch) }
        var reply = PushReply(answers: answers)
        reply.anchor = anchor
        for (item, result) in zip(batch.items, results) where item.isDeletionOfKnown && result.isGone {
            reply.deletedBefore.insert(item.entry.objectID.key)
        }
        return reply
    }

    /// Sends the request of a batch.
    func modify(_ request: RecordsModifyRequest, of batch: PushBatch) async throws -> RecordsResponse {
        let response: RecordsResponse
        do {
            response = try await call(
                .recordsModify, request, as: RecordsResponse.self,
                timeout: pace(.batches).time(options.requestTimeout))
        } catch let failure as SyncFailure {
            if failure.tookTooLong { changePace(.batches) { $0.tookTooLong(batch) } }
            guard (failure.error.cause as? WireError)?.reason == WireError.expiredTokenReason else { throw failure }
            throw SyncFailure(.tokenRefused, failure.error)
        }
        let whole = limits.operations
        changePace(.batches) { $0.succeeded(batch.items.count, of: whole) }
        return response
    }

    func request(for batch: PushBatch) -> RecordsModifyRequest {
        var request = RecordsModifyRequest(
            zoneID: zone, operations: batch.items.map(\.operation),
            atomic: batch.items.count > 1 && options.database != .public,
            desiredKeys: [])
        if hasExtensions {
            request.idempotencyKey = batch.idempotencyKey
            request.syncToken = batch.token
            request.deviceID = deviceID
        } else {
            for index in request.operations.indices where request.operations[index].record.usesExtensions {
                request.operations[index].record.clearsParent = false
                request.operations[index].record.movedTo = nil
            }
        }
        return request
    }

    /// Checks that the zone is still the one that was read. Only then does a missing record mean a deletion. A server
    /// with this project's extensions has checked that before it took the batch. Another one shows it by the token.
    private func assureLife(_ batch: PushBatch) async throws {
        guard !hasExtensions, let token = batch.token else { return }
        _ = try await changes(after: token)
    }

    /// Returns the meaning of an error of one record; nil if the server's record must be fetched first.
    func answer(to item: PushItem, _ error: RecordError) -> PushReply.Answer? {
        let isDeletion = item.operation.operationType.isDeletion
        switch error.error.code {
        case .conflict, .exists:
            if error.serverRecordDeleted {
                if let zone = error.serverRecord?.movedTo { return .moved(to: zone) }
                return isDeletion ? .done(changeTag: nil) : .conflict(nil)
            }
            guard let record = error.serverRecord, record.recordName == item.operation.record.recordName else {
                return nil
            }
            return .conflict(record)
        case .notFound: return isDeletion ? .done(changeTag: nil) : .conflict(nil)
        case .atomicError: return .untouched
        case .throttled, .tryAgainLater, .internalError:
            return .later(error.error.wait)
        case .quotaExceeded where !error.error.reason.begins(with: WireError.limitExceededPrefix):
            return .later(error.error.wait ?? Self.waitForRoom)
        case .accessDenied: return .denied(reason: error.error.description, nil)
        case .validatingReferenceError where !hasExtensions && item.operation.record.parent != nil:
            return .parentless(reason: error.error.description)
        case .badRequest, .quotaExceeded, .validatingReferenceError, .authenticationFailed,
            .authenticationRequired, .zoneNotFound:
            return .refused(reason: error.error.description)
        }
    }

    private func lookUp(_ positions: [Int], of batch: PushBatch, into answers: inout [PushReply.Answer]) async throws {
        for chunk in positions.parts(of: min(limits.operations, 200)) {
            let names = chunk.map { batch.items[$0].operation.record.recordName }
            for (position, found) in zip(chunk, try await lookUp(names)) {
                let isDeletion = batch.items[position].operation.operationType.isDeletion
                switch found {
                case .record(let record): answers[position] = .conflict(record)
                case .deleted(let zone?): answers[position] = .moved(to: zone)
                case .deleted, .missing: answers[position] = isDeletion ? .done(changeTag: nil) : .conflict(nil)
                }
            }
        }
    }
}

extension CloudClient {
    /// Returns the server's records of these names; nil for those that it does not have.
    func records(named names: [String], fields: [String]? = nil) async throws -> [WireRecord?] {
        try await lookUp(names, fields: fields).map(\.record)
    }

    /// Looks up records by their names.
    ///
    /// - Parameter fields: The fields to read; all if nil.
    /// - Returns: An answer for each name, in order.
    func lookUp(_ names: [String], fields: [String]? = nil) async throws -> [LookedUpRecord] {
        let request = RecordsLookupRequest(
            zoneID: zone, records: names.map { .init(recordName: $0) }, desiredKeys: fields)
        let response: RecordsResponse
        do { response = try await call(.recordsLookup, request, as: RecordsResponse.self) } catch let failure
            as SyncFailure where names.count > 1 && (failure.error.cause as? WireError)?.isLimitExceeded == true
        {
            // The records together are too large for one answer.
            let half = names.count / 2
            return try await lookUp(Array(names.prefix(half)), fields: fields)
                + lookUp(Array(names.dropFirst(half)), fields: fields)
        }
        return try Self.results(response.records, for: names, .recordsLookup).map { result in
            switch result {
            case .record(let record):
                return record.deleted ? .deleted(movedTo: record.movedTo) : .record(record)
            case .error(let error):
                // In the public database, a record that the user may not read counts as missing.
                let isHidden = options.database == .public && error.error.code == .accessDenied
                guard isHidden || error.error.code == .notFound else { throw failure(of: error.error, .recordsLookup) }
                return error.serverRecordDeleted ? .deleted(movedTo: error.serverRecord?.movedTo) : .missing
            }
        }
    }
}

extension CloudClient {
    /// Sends moves to this zone: each record is made here, and deleted in its former zone, in one request. The server
    /// takes all of them or nothing.
    ///
    /// - Returns: An answer for each object. A conflict means that one of its two records has changed.
    func sendMoves(_ batch: PushBatch) async throws -> PushReply {
        var request = request(for: batch)
        request.operations += batch.items.compactMap { $0.departure?.operation(to: zone.zoneName) }
        (request.atomic, request.atomicZones) = (true, true)
        let response = try await modify(request, of: batch)
        for case .error(let error) in response.records where error.error.code == .zoneNotFound {
            throw failure(of: error.error, .recordsModify)
        }
        let count = batch.items.count
        let made = try Self.results(
            Array(response.records.prefix(count)), for: batch.items.map(\.operation.record.recordName), .recordsModify)
        let left = try Self.results(
            Array(response.records.dropFirst(count)), for: batch.items.compactMap { $0.departure?.recordName },
            .recordsModify)
        var reply = PushReply(answers: [])
        for (item, (made, left)) in zip(batch.items, zip(made, left)) {
            if case .record(let record) = made {
                reply.anchor = reply.anchor ?? ZoneAnchor(item.entry.objectID.key, record)
            }
            reply.answers.append(answer(to: item, made, left))
        }
        return reply
    }

    private func answer(to item: PushItem, _ made: RecordResult, _ left: RecordResult) -> PushReply.Answer {
        switch (made, left) {
        case (.record(let record), .record): return .done(changeTag: record.recordChangeTag)
        case (_, .error(let error)) where [.conflict, .exists, .notFound].contains(error.error.code):
            return .conflict(nil)
        case (.record, .error(let error)), (.error(let error), .record):
            return answer(to: item, error) ?? .conflict(nil)
        case (.error(let error), .error(let other)):
            // One of the two is only undone with the other.
            return answer(to: item, error.error.code == .atomicError ? other : error) ?? .conflict(nil)
        }
    }
}

extension WireRecord {
    /// Whether it has parts that other servers do not know.
    fileprivate var usesExtensions: Bool { clearsParent || movedTo != nil }
}

extension CloudClient {
    /// The most changes of a batch that the connection can carry in time.
    var batchCeiling: BatchCeiling {
        let pace = pace(.batches)
        return BatchCeiling(pace.share(of: limits.operations), cutsSaves: pace.isExhausted)
    }
}

extension RequestAmount {
    /// Reduces the pace after a batch that took too long. A save is sent whole, with more time for each try, until that
    /// does not help.
    mutating func tookTooLong(_ batch: PushBatch) {
        let count = batch.items.count
        tookTooLong(count, smallest: batch.isOneSave && !isExhausted ? count : 1)
    }
}
