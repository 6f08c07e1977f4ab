import CloudWire
import Crypto
import Foundation

extension ZoneService {
    /// Operations on one zone.
    private struct Batch: Sendable {
        var zone: String
        var operations: [PreparedOperation] = []
    }

    /// What a request needs in its transaction.
    private struct Work: Sendable {
        var request: RecordsModifyRequest
        var batches: [Batch] = []
        /// Failures that need no look at the storage, by place in the request.
        var failures: [Int: RecordError] = [:]
        var count: Int
        /// Digest of the body, when the request has an idempotency key.
        var digest: [UInt8]?
    }

    /// `records/modify`.
    ///
    /// - Parameter body: the request's bytes, of which an idempotency key holds the digest.
    func modify(_ request: RecordsModifyRequest, body: Data, _ scope: RequestScope) async throws -> [UInt8] {
        try scope.checkCount(request.operations.count + request.malformed.count, of: "operations")
        var work = prepare(request, scope)
        if let key = request.idempotencyKey, scope.extensions {
            guard (1...128).contains(key.utf8.count) else {
                throw WireError(.badRequest, "idempotencyKey must be 1 to 128 bytes")
            }
            work.digest = Array(SHA256.hash(data: body))
        }
        if let device = request.deviceID, scope.extensions, !(1...64).contains(device.utf8.count) {
            throw WireError(.badRequest, "deviceID must be 1 to 64 bytes")
        }
        if configuration.flaws.contains(.comparesBeforeLocking) {
            work = try await compareEarly(work, scope)
            try await clock.sleep(milliseconds: 100)
        }
        let (bytes, pokes) = try await storage.write { [work] writing in
            try perform(work, scope, writing)
        }
        post(pokes, scope)
        return bytes
    }

    /// What ``ServerFlaws/comparesBeforeLocking`` does: what passes the comparison now is forced later.
    private func compareEarly(_ work: Work, _ scope: RequestScope) async throws -> Work {
        try await storage.read { reading in
            var work = work
            for index in work.batches.indices {
                guard let owner = try reading.owner(scope.database),
                    let zone = try reading.zone(owner, named: work.batches[index].zone)
                else { continue }
                let names = work.batches[index].operations.map(\.name)
                for (place, stored) in try reading.records(zone, named: names).enumerated() {
                    work.batches[index].operations[place].force(where: stored)
                }
            }
            return work
        }
    }

    /// Sorts the operations by zone and checks each as far as that goes.
    private func prepare(_ request: RecordsModifyRequest, _ scope: RequestScope) -> Work {
        var work = Work(request: request, count: request.operations.count + request.malformed.count)
        for (index, fault) in request.malformed {
            work.failures[index] = RecordError(
                recordName: fault.recordName ?? "", error: WireError(.badRequest, fault.reason))
        }
        let places = (0..<work.count).filter { request.malformed[$0] == nil }
        var batchOfZone: [String: Int] = [:]
        var seen: [ByteName: (batch: Int, operation: Int)] = [:]
        for (index, operation) in zip(places, request.operations) {
            do throws(WireError) {
                try scope.requireWriting()
                let zone = try scope.zoneName(operation.record.zoneID ?? request.zoneID)
                let batch = batchOfZone[zone] ?? work.batches.count
                if batch == work.batches.count {
                    batchOfZone[zone] = batch
                    work.batches.append(Batch(zone: zone))
                }
                var prepared = PreparedOperation(operation, index: index, zone: zone, scope, receipts, random)
                let key = ByteName("\(batch)/\(prepared.name)")
                if let first = seen[key] {
                    work.batches[first.batch].operations[first.operation].refuseAsDuplicate()
                    prepared.refuseAsDuplicate()
                } else {
                    seen[key] = (batch, work.batches[batch].operations.count)
                }
                work.batches[batch].operations.append(prepared)
            } catch {
                work.failures[index] = RecordError(recordName: operation.record.recordName, error: error)
            }
        }
        return work
    }

    /// The whole request in one transaction.
    private func perform(
        _ work: Work, _ scope: RequestScope, _ writing: any ZoneWriting
    ) throws -> ([UInt8], [Poke]) {
        let owner = try writing.owner(scope.database)
        let isForgetful = configuration.flaws.contains(.forgetsAnswers)
        let key = work.digest == nil || isForgetful ? nil : work.request.idempotencyKey
        if let key, let owner, let kept = try writing.answer(owner, user: scope.user, key: key) {
            guard kept.bodyDigest == work.digest else {
                throw WireError(.badRequest, "idempotencyKey '\(key)' was used before, with another body")
            }
            return (kept.response, [])
        }
        var results: [RecordResult?] = Array(repeating: nil, count: work.count)
        for (index, failure) in work.failures { results[index] = .error(failure) }
        var pokes: [Poke] = []
        var syncToken: String?
        var hasWritten = false
        for (zone, batch) in try zones(work, owner, scope, writing, &results) {
            let done = try apply(batch, to: zone, work, scope, writing, &results)
            guard let owner = try writing.owner(scope.database) else { continue }
            if done {
                hasWritten = true
                pokes.append(Poke(zone: zone.name, recipients: try writing.recipients(owner, zone: zone)))
            }
            if work.request.getCurrentSyncToken, zone.name != ZoneID.defaultZoneName,
                let current = try writing.zone(owner, named: zone.name)
            {
                syncToken = token(current, scope)
            }
        }
        let response = RecordsResponse(records: results.compactMap { $0 }, syncToken: syncToken)
        let bytes = try response.wireJSON(numbersAsStrings: work.request.numbersAsStrings)
        // An answer that changed nothing is not kept: the same request may do better once its cause has gone.
        if let key, let digest = work.digest, hasWritten, let owner = try writing.owner(scope.database) {
            try writing.putAnswer(
                owner, user: scope.user, key: key,
                StoredAnswer(bodyDigest: digest, response: bytes, created: clock.now()))
        }
        return (bytes, pokes)
    }

    /// The zones of the request, locked in the order of their ids so that two requests never wait for each other.
    private func zones(
        _ work: Work, _ owner: StoredOwner?, _ scope: RequestScope, _ writing: any ZoneWriting,
        _ results: inout [RecordResult?]
    ) throws -> [(StoredZone, Batch)] {
        var found: [(StoredZone, Batch)] = []
        for batch in work.batches {
            if let zone = try zone(batch, owner, scope, writing) {
                found.append((zone, batch))
                continue
            }
            for operation in batch.operations {
                results[operation.index] = .error(
                    RecordError(recordName: operation.name, error: RequestScope.zoneNotFound(batch.zone)))
            }
        }
        return try found.sorted { $0.0.zoneID < $1.0.zoneID }.map { (try writing.lock($0.0), $0.1) }
    }

    private func zone(
        _ batch: Batch, _ owner: StoredOwner?, _ scope: RequestScope, _ writing: any ZoneWriting
    ) throws -> StoredZone? {
        if let owner, let zone = try writing.zone(owner, named: batch.zone) { return zone.state == .live ? zone : nil }
        guard batch.zone == ZoneID.defaultZoneName else { return nil }
        // The default zone is there from the beginning, so it is made when it is first used.
        let owner = try writing.makeOwner(scope.database, epoch: random.identifier())
        return try writing.makeZone(owner, named: batch.zone, epoch: random.identifier())
    }

    /// - Returns: true when the zone was changed.
    private func apply(
        _ batch: Batch, to zone: StoredZone, _ work: Work, _ scope: RequestScope, _ writing: any ZoneWriting,
        _ results: inout [RecordResult?]
    ) throws -> Bool {
        let isCustom = zone.name != ZoneID.defaultZoneName
        let seen = try seen(work.request, zone, scope)
        var plan = ZonePlan(
            batch.operations, zone: zone, atomic: isCustom && (work.request.atomic ?? true), user: scope.user,
            device: (scope.extensions ? work.request.deviceID : nil) ?? WireStamp.unnamedDevice, now: clock.now(),
            limits: scope.limits, seen: seen,
            fails: isCustom && !work.request.malformed.isEmpty)
        try plan.decide(writing)
        try plan.settleReferences(writing)
        let hasChanged =
            if let owner = try writing.owner(scope.database) { try plan.commit(writing, owner) } else { false }
        let renderer = self.renderer(
            zone, scope, desiredKeys: work.request.desiredKeys, numbersAsStrings: work.request.numbersAsStrings)
        for (index, outcome) in plan.outcomes {
            results[index] = try renderer.result(outcome, extensions: scope.extensions)
        }
        return hasChanged
    }

    /// Up to which commit the sender has read the zone; nil when it does not say.
    ///
    /// - Throws: BAD_REQUEST when it has read another life of the zone, or not far enough to know what was deleted.
    private func seen(
        _ request: RecordsModifyRequest, _ zone: StoredZone, _ scope: RequestScope
    ) throws -> Int64? {
        guard scope.extensions, !configuration.flaws.contains(.takesAnyPosition), let text = request.syncToken,
            let id = request.zoneID,
            try scope.zoneName(id) == zone.name
        else { return nil }
        do throws(SyncToken.Fault) {
            return try readToken(text, of: zone, .zone, scope).sequence
        } catch { throw SyncToken.Fault.expired.wireError }
    }
}
