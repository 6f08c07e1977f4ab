import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import CoreMetrics
import Foundation

extension RecordOperations {
    /// The operations on one zone.
    private struct Batch: Sendable {
        var zone: ZonePlace
        var operations: [PreparedOperation] = []
    }

    /// A prepared request, as its transaction needs it.
    private struct Work: Sendable {
        var request: RecordsModifyRequest
        /// The fields to include in the answer; nil for all.
        var fields: Set<String>?
        var batches: [Batch] = []
        /// Failures found without the storage, by place in the request.
        var failures: [Int: RecordError] = [:]
        var count: Int
        /// The digest of the body, if the request has an idempotency key.
        var digest: [UInt8]?
        /// Whether the operations on all zones are applied together or not at all.
        var isOfAllZones = false
        let keys = QueryKeyWork()
    }

    /// Answers `records/modify`: it plans and writes all operations in one transaction.
    ///
    /// - Parameter body: The request's bytes. Their digest is kept with the idempotency key.
    /// - Throws: BAD_REQUEST "limit exceeded" if the changed records or the answer are too large together. Then nothing
    ///   is changed.
    func modify(
        _ request: RecordsModifyRequest, body: Data, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        try scope.checkCount(request.operations.count + request.malformed.count, of: "operations")
        let fields = try scope.fields(request.desiredKeys)
        var work = prepare(request, caller: try await caller(of: request, scope), scope)
        work.fields = fields
        work.isOfAllZones = request.atomicZones && scope.extensions
        if let key = request.idempotencyKey, scope.extensions {
            guard (1...128).contains(key.utf8.count), RecordRules.isValidUser(key) else {
                throw WireError(.badRequest, "idempotencyKey must be 1 to 128 bytes without control characters")
            }
            work.digest = SHA256.hash(data: body)
        }
        if let device = request.deviceID, scope.extensions {
            guard (1...64).contains(device.utf8.count), RecordRules.isValidUser(device) else {
                throw WireError(.badRequest, "deviceID must be 1 to 64 bytes without control characters")
            }
        }
        guard scope.mayWrite else {
            var refused = ModifyResults(failures: work.failures), left = budget
            try refused.spend(&left, withFields: false, extensions: scope.extensions)
            return try encode(refused, work, scope, budget)
        }
        let done = try await carryOut(&work, bytes: body.count, scope, budget)
        server.metrics.recordsWritten.increment(by: done.results.written)
        await Notifier(server: server).post(done.pokes, scope)
        // The JSON is written outside the writer's turn, unless the answer is to be kept.
        return try done.answer ?? encode(done.results, work, scope, budget)
    }

    /// The caller, with names if the request is about a share. Only such a request needs to look them up.
    private func caller(of request: RecordsModifyRequest, _ scope: RequestScope) async throws -> DiscoveredUser {
        let operations = request.operations
        // By index: operations are large, and a copy costs a reference count for each of its parts.
        let isAboutShare = operations.indices.contains {
            operations[$0].record.recordType == WireShare.recordType
                || operations[$0].record.recordName == WireShare.zoneShareName
        }
        guard isAboutShare else {
            return DiscoveredUser(userRecordName: scope.user)
        }
        return try await server.users.caller(scope.user)
    }

    /// Sorts the operations by zone, and checks each one as far as possible without the storage.
    private func prepare(_ request: RecordsModifyRequest, caller: DiscoveredUser, _ scope: RequestScope) -> Work {
        let now = server.clock.milliseconds()
        var work = Work(request: request, count: request.operations.count + request.malformed.count)
        for (index, fault) in request.malformed {
            work.failures[index] = RecordError(recordName: fault.name ?? "", error: fault.error)
        }
        let places = (0..<work.count).filter { request.malformed[$0] == nil }
        var batchOfZone: [ZonePlace: Int] = [:]
        var seen: [ByteText: (batch: Int, operation: Int)] = [:]
        for (index, place) in zip(places, request.operations.indices) {
            let operation = request.operations[place]
            do throws(WireError) {
                try scope.requireWriting()
                let zone = try scope.place(of: operation.record.zoneID ?? request.zoneID)
                let batch = batchOfZone[zone] ?? work.batches.count
                if batch == work.batches.count {
                    batchOfZone[zone] = batch
                    work.batches.append(Batch(zone: zone))
                }
                var prepared = PreparedOperation(
                    operation, index: index, zone: zone, caller: caller, scope, server.receipts, server.random, at: now)
                let key = ByteText("\(batch)/\(prepared.name)")
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

    /// Runs a request in a transaction. If that finds the disk full, the request is tried without what has no room.
    private func carryOut(
        _ work: inout Work, bytes: Int, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> Done {
        var frees = try await refuseWhatHasNoRoom(&work)
        while true {
            do {
                return try await work.keys.carryOut(on: server.configuration.runner) { [work] in
                    try await server.change(scope, bytes: bytes, frees: frees) { writing in
                        try perform(work, scope, writing, budget)
                    }
                }
            } catch let failure as TransactionFailure where failure.kind == .unknown {
                return try await settle(work, scope, budget, after: failure)
            } catch let failure as TransactionFailure where failure.kind == .full && !frees {
                frees = try await refuseWhatHasNoRoom(&work)
                if !frees { throw failure }
            }
        }
    }

    /// Refuses the operations that store something if the disk is full and the request also has deletions. Otherwise a
    /// client that sends both together could never free space.
    ///
    /// - Returns: Whether all other operations are deletions, so a full disk does not prevent the request.
    private func refuseWhatHasNoRoom(_ work: inout Work) async throws -> Bool {
        // By index, since operations are large.
        let operations = work.request.operations
        let deletions = operations.indices.count { operations[$0].operationType.isDeletion }
        guard deletions > 0, deletions < operations.count else { return deletions > 0 }
        guard try await !server.storage.hasRoom() else { return false }
        for batch in work.batches.indices {
            for place in work.batches[batch].operations.indices
            where !work.batches[batch].operations[place].kind.isDeletion {
                work.batches[batch].operations[place].refuseForFullDisk()
            }
        }
        return true
    }

    /// The outcome of a request, with the hints for waiting devices.
    private struct Done: Sendable {
        var results = ModifyResults()
        /// The answer as bytes, if it is kept for an idempotency key.
        var answer: BoundedAnswer?
        var pokes: [Poke] = []
    }

    /// Encodes the answer, with the results in the order of the request.
    private func encode(
        _ results: ModifyResults, _ work: Work, _ scope: RequestScope, _ budget: AnswerBudget
    ) throws -> BoundedAnswer {
        var records: [RecordResult?] = Array(repeating: nil, count: work.count)
        for (index, failure) in results.failures { records[index] = .error(failure) }
        for zone in results.outcomes {
            let renderer = server.renderer(
                zone.zone, scope, shares: zone.shares, desiredKeys: work.fields,
                numbersAsStrings: work.request.numbersAsStrings)
            for (index, outcome) in zone.outcomes {
                records[index] = try renderer.result(outcome, extensions: scope.extensions)
            }
        }
        return try budget.closeAfterSpending(
            RecordsResponse(records: records.compactMap { $0 }, syncToken: results.syncToken),
            numbersAsStrings: work.request.numbersAsStrings)
    }

    /// Runs the whole request in one transaction.
    private func perform(
        _ work: Work, _ scope: RequestScope, _ writing: ZoneTransaction, _ budget: AnswerBudget
    ) throws -> Done {
        work.keys.begin()
        let owner = try writing.owner(scope.database)
        var done = Done()
        done.results.failures = work.failures
        let zones = try zones(work, owner, scope, writing, &done.results.failures)
        // Under the locks: the same request may arrive twice at once, and the second finds the first one's answer.
        let key = work.digest == nil ? nil : work.request.idempotencyKey
        if let key, let owner, let kept = try writing.answer(owner, user: scope.user, key: key) {
            guard kept.bodyDigest == work.digest else {
                throw WireError(.badRequest, "idempotencyKey '\(key)' was used before, with another body")
            }
            return Done(answer: budget.reopen(kept))
        }
        let hasWritten = try write(zones, of: work, owner, scope, writing, &done)
        try work.keys.requireAll()
        var budget = budget
        let withFields = work.fields != []
        try done.results.spend(&budget, withFields: withFields, extensions: scope.extensions)
        // An answer without changes is not kept. The same request may succeed later, after the cause has gone.
        if let key, let digest = work.digest, hasWritten, let owner = try writing.owner(scope.database) {
            let answer = try encode(done.results, work, scope, budget)
            try writing.putAnswer(
                owner, user: scope.user, key: key,
                StoredAnswer(bodyDigest: digest, response: answer.bytes, created: server.clock.milliseconds()))
            try server.trimAnswers(owner, of: scope.user, writing)
            done.answer = answer
        }
        return done
    }

    /// Plans and writes the operations on all zones.
    ///
    /// - Returns: Whether anything was written.
    private func write(
        _ zones: [(StoredZone, Batch)], of work: Work, _ owner: StoredOwner?, _ scope: RequestScope,
        _ writing: ZoneTransaction, _ done: inout Done
    ) throws -> Bool {
        var hasWritten = false
        let shareBudget = ShareBudget()
        var plans = try work.isOfAllZones ? zones.map { try plan($1, for: $0, work, scope, writing, shareBudget) } : []
        if plans.contains(where: \.hasFaults) || work.isOfAllZones && !done.results.failures.isEmpty {
            for index in plans.indices { plans[index].refuseWithOthers() }
        }
        let payers = Set(plans.flatMap(\.payers).map { ByteText($0) }).map(\.string)
        try server.keepingQuotas(of: owner == nil ? [] : payers, in: owner?.tenantID ?? 0, writing) {
            for (index, (zone, batch)) in zones.enumerated() {
                var plan =
                    try plans.isEmpty ? self.plan(batch, for: zone, work, scope, writing, shareBudget) : plans[index]
                guard let owner = try writing.owner(scope.database) else { continue }
                let everybody = try writing.guests(of: zone)
                // A move fills one zone and empties another, so it is judged as a whole.
                let payers = work.isOfAllZones ? [] : plan.payers
                let hasChanged = try server.keepingQuotas(of: payers, in: owner.tenantID, writing) {
                    try plan.commit(writing, largest: server.configuration.extendedLimits.page)
                }
                let outcomes = plan.outcomes
                let shares = try shownShares(of: zone, outcomes, scope, writing).all
                done.results.outcomes.append(
                    ZoneOutcomes(
                        zone: zone, shares: shares,
                        weights: Dictionary(shares.map { (ByteText($0.record), $0.weight) }) { first, _ in first },
                        outcomes: outcomes))
                if hasChanged {
                    hasWritten = true
                    done.pokes += Poke.all(of: zone, plan.recordChanges, to: plan.guests ?? everybody)
                }
                if work.request.getCurrentSyncToken, zone.name != ZoneID.defaultZoneName,
                    let current = try scope.zone(at: zone.place, owner, writing)
                {
                    done.results.syncToken = server.token(current, scope)
                }
            }
        }
        return hasWritten
    }

    /// The shares in the answer, in their present state.
    private func shownShares(
        of zone: StoredZone, _ outcomes: [(index: Int, outcome: RecordOutcome)], _ scope: RequestScope,
        _ writing: ZoneTransaction
    ) throws -> ShownShares {
        var zone = zone
        zone.sharing.insert(.shared)
        let records = outcomes.compactMap { item -> StoredRecord? in
            switch item.outcome {
            case .saved(let record) where ShownShare.isShown(by: record): record
            case .failed(_, _, let server?) where ShownShare.isShown(by: server): server
            case .saved, .failed, .deleted: nil
            }
        }
        return try ShownShares(in: records, of: zone, scope, writing)
    }

    /// The outcome of a request whose commit may or may not have happened. A kept answer shows that it did.
    ///
    /// - Throws: The failure, if no answer is kept. The client gets TRY_AGAIN_LATER. If the commit is still running,
    ///   the repeated request waits at the zone's lock and then finds the answer.
    private func settle(
        _ work: Work, _ scope: RequestScope, _ budget: AnswerBudget, after failure: TransactionFailure
    ) async throws -> Done {
        let kept = try await server.storage.read { reading -> (answer: StoredAnswer, pokes: [Poke])? in
            guard work.digest != nil, let key = work.request.idempotencyKey,
                let owner = try reading.owner(scope.database),
                let answer = try reading.answer(owner, user: scope.user, key: key)
            else { return nil }
            let zones = try work.batches.compactMap { try scope.zone(at: $0.zone, owner, reading) }
            return (answer, try zones.flatMap { Poke.all(of: $0, [], to: try reading.guests(of: $0)) })
        }
        guard let kept, kept.answer.bodyDigest == work.digest else { throw failure }
        return Done(answer: budget.reopen(kept.answer), pokes: kept.pokes)
    }

    /// The zones of the request, locked in the order of their ids so that two requests cannot deadlock.
    private func zones(
        _ work: Work, _ owner: StoredOwner?, _ scope: RequestScope, _ writing: ZoneTransaction,
        _ failures: inout [Int: RecordError]
    ) throws -> [(StoredZone, Batch)] {
        var found: [(StoredZone, Batch)] = []
        func refuse(_ batch: Batch) {
            for operation in batch.operations {
                failures[operation.index] = RecordError(
                    recordName: operation.name, error: RequestScope.zoneNotFound(batch.zone.name))
            }
        }
        for batch in work.batches {
            if let zone = try zone(batch, owner, scope, writing) { found.append((zone, batch)) } else { refuse(batch) }
        }
        var locked: [(StoredZone, Batch)] = []
        for (zone, batch) in found.sorted(by: { $0.0.zoneID < $1.0.zoneID }) {
            let now = try writing.lock(zone)
            // During the wait, the zone may have been deleted, or the caller's rights may have ended.
            let mine = batch.zone.owner == nil ? now : try scope.zone(at: batch.zone, owner, writing)
            if let mine, mine.state == .live, mine.zoneID == now.zoneID {
                locked.append((mine, batch))
            } else {
                refuse(batch)
            }
        }
        return locked
    }

    /// The zone of a batch; nil if it does not exist.
    private func zone(
        _ batch: Batch, _ owner: StoredOwner?, _ scope: RequestScope, _ writing: ZoneTransaction
    ) throws -> StoredZone? {
        if let zone = try scope.zone(at: batch.zone, owner, writing) { return zone }
        guard batch.zone.isDefault else { return nil }
        // The default zone always exists for clients, so it is made at its first use.
        let owner = try server.makeOwner(scope, writing)
        return try writing.makeZone(owner, named: batch.zone.name, epoch: server.random.identifier())
    }

    /// Plans the operations on a zone.
    private func plan(
        _ batch: Batch, for zone: StoredZone, _ work: Work, _ scope: RequestScope, _ writing: ZoneTransaction,
        _ shareBudget: ShareBudget
    ) throws -> ZonePlan {
        let isCustom = zone.name != ZoneID.defaultZoneName
        let seen = try seen(work.request, zone, scope)
        var plan = ZonePlan(
            batch.operations, zone: zone, history: server.storage.history,
            atomic: isCustom && (work.request.atomic ?? true),
            scope: scope,
            device: (scope.extensions ? work.request.deviceID : nil) ?? WireStamp.unnamedDevice,
            now: server.clock.milliseconds(),
            seen: seen,
            fails: isCustom && !work.request.malformed.isEmpty, shareBudget: shareBudget, work: work.keys)
        try plan.decide(writing)
        try plan.settle(writing)
        try plan.requireSize(scope.limits.bytes)
        return plan
    }

    /// The last sequence read by the sender; nil if the request has no token of this zone.
    ///
    /// - Throws: BAD_REQUEST if the sender has read another life of the zone, or not far enough to know all deletions.
    private func seen(
        _ request: RecordsModifyRequest, _ zone: StoredZone, _ scope: RequestScope
    ) throws -> Int64? {
        guard scope.extensions, let text = request.syncToken, let id = request.zoneID,
            try scope.place(of: id).isSame(as: zone.place)
        else { return nil }
        do throws(SyncToken.Fault) {
            return try server.readFeedToken(text, of: zone, scope).sequence
        } catch { throw SyncToken.Fault.expired.wireError }
    }
}
