import Backstitch
import CloudWire

extension CloudClient {
    /// Sends a batch and finds out what the server has where it met another version. The server takes all of it or nothing, so that
    /// nobody sees a part of a save: what was to go along with a change that was not taken is sent again when that is settled.
    func send(_ batch: PushBatch) async throws -> PushReply {
        let request = RecordsModifyRequest(
            zoneID: zone, operations: batch.items.map(\.operation), atomic: batch.items.count > 1, desiredKeys: [],
            idempotencyKey: batch.idempotencyKey, syncToken: batch.token, deviceID: deviceID)
        let response: RecordsResponse
        do { response = try await call(.recordsModify, request, as: RecordsResponse.self) } catch let failure
            as SyncFailure where (failure.error.cause as? WireError)?.reason == WireError.expiredTokenReason
        {
            throw SyncFailure(.tokenRefused, failure.error)
        }
        guard response.records.count == batch.items.count else {
            throw SyncFailure(
                .permanent,
                BackstitchError(
                    .protocolViolation,
                    "the server answered \(batch.items.count) operations with \(response.records.count) results"))
        }
        var answers: [PushReply.Answer] = []
        answers.reserveCapacity(batch.items.count)
        var unknown: [Int] = []
        for (index, result) in response.records.enumerated() {
            switch result {
            case .record(let record): answers.append(.done(changeTag: record.recordChangeTag))
            case .error(let error):
                if error.error.code == .zoneNotFound { throw failure(of: error.error, .recordsModify) }
                if let answer = Self.answer(to: batch.items[index], error) {
                    answers.append(answer)
                } else {
                    unknown.append(index)
                    answers.append(.conflict(nil))
                }
            }
        }
        try await lookUp(unknown, of: batch, into: &answers)
        return PushReply(answers: answers)
    }

    /// What an error of one record means; nil when the server's record must be looked up first.
    private static func answer(to item: PushItem, _ error: RecordError) -> PushReply.Answer? {
        let isDeletion = item.operation.operationType.isDeletion
        switch error.error.code {
        case .conflict, .exists:
            if error.serverRecordDeleted { return isDeletion ? .done(changeTag: nil) : .conflict(nil) }
            return error.serverRecord.map { .conflict($0) }
        case .notFound: return isDeletion ? .done(changeTag: nil) : .conflict(nil)
        case .atomicError: return .untouched
        case .throttled, .tryAgainLater, .internalError:
            return .later(error.error.retryAfter.map { Int64($0) * 1_000 })
        case .accessDenied, .badRequest, .quotaExceeded, .validatingReferenceError, .authenticationFailed,
            .authenticationRequired, .zoneNotFound:
            return .refused(reason: error.error.description)
        }
    }

    private func lookUp(_ positions: [Int], of batch: PushBatch, into answers: inout [PushReply.Answer]) async throws {
        for chunk in positions.chunks(of: min(limits.operations, 200)) {
            let names = chunk.map { batch.items[$0].operation.record.recordName }
            for (position, record) in zip(chunk, try await records(named: names)) {
                let isDeletion = batch.items[position].operation.operationType.isDeletion
                answers[position] = record == nil && isDeletion ? .done(changeTag: nil) : .conflict(record)
            }
        }
    }

    /// The records of these names as the server has them; nil for those that it does not have.
    func records(named names: [String], fields: [String]? = nil) async throws -> [WireRecord?] {
        let request = RecordsLookupRequest(
            zoneID: zone, records: names.map { .init(recordName: $0) }, desiredKeys: fields)
        let response = try await call(.recordsLookup, request, as: RecordsResponse.self)
        guard response.records.count == names.count else {
            throw SyncFailure(
                .permanent, BackstitchError(.protocolViolation, "the server's answer to records/lookup lacks records"))
        }
        return try response.records.map { result in
            switch result {
            case .record(let record): return record.deleted ? nil : record
            case .error(let error):
                guard error.error.code == .notFound else { throw failure(of: error.error, .recordsLookup) }
                return nil
            }
        }
    }
}
