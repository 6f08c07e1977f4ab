import BackstitchSupport
import CloudWire
import CoreMetrics

/// The feeds of changes: of a database, of its zones, and of the public database by queries.
struct ChangeFeed: Sendable {
    let server: ServerContext

    /// Answers `changes/database` and `zones/changes`.
    func databaseChanges(_ request: DatabaseChangesRequest, _ scope: RequestScope) async throws
        -> DatabaseChangesResponse
    {
        let feed = SyncToken.Feed(database: scope.database, zone: "")
        let limit = try scope.pageLimit(request.resultsLimit)
        let since: SyncToken?
        do throws(SyncToken.Fault) {
            since = if let text = request.syncToken { try SyncToken.read(text, feed, server.signer) } else { nil }
        } catch { throw error.wireError }
        let read: (owner: StoredOwner, zones: [ChangedZone])? = try await server.storage.read { reading in
            guard let owner = try reading.owner(scope.database) else { return nil }
            let after = try cursor(since, owner)
            if scope.database.scope == .shared {
                let entries = try reading.changedSharedZones(
                    owner, user: scope.user, after: after, limit: limit + 1)
                return (owner, entries.map { ChangedZone(info: changed($0, scope), sequence: $0.sequence) })
            }
            let zones = try reading.changedZones(owner, after: after, limit: limit + 1)
            return (owner, zones.map { ChangedZone(info: changed($0, scope), sequence: $0.ownerSequence) })
        }
        // There is no epoch before the first write. A token with epoch 0 always means "from the beginning".
        guard let read else {
            let start = SyncToken(kind: .database, epoch: 0, sequence: 0)
            return DatabaseChangesResponse(zones: [], moreComing: false, syncToken: start.text(feed, server.signer))
        }
        let page = read.zones.prefix(limit)
        let moreComing = read.zones.count > limit
        let next = SyncToken(
            kind: .database, epoch: read.owner.epoch,
            sequence: moreComing ? page.last?.sequence ?? 0 : read.owner.head)
        return DatabaseChangesResponse(
            zones: page.map { .zone($0.info) }, moreComing: moreComing, syncToken: next.text(feed, server.signer))
    }

    /// The sequence after which changes are wanted; 0 for the beginning.
    private func cursor(_ token: SyncToken?, _ owner: StoredOwner) throws(WireError) -> Int64 {
        guard let token, token.epoch != 0 || token.kind != .database else { return 0 }
        do throws(SyncToken.Fault) {
            try token.check(kind: .database, epoch: owner.epoch, head: owner.head)
            return token.sequence
        } catch { throw error.wireError }
    }

    /// A zone in the feed of a database, with its sequence in that feed.
    private struct ChangedZone: Sendable {
        var info: ZoneInfo
        var sequence: Int64
    }

    /// The change of a zone shared by another user. A share that has ended appears as a deletion.
    private func changed(_ entry: StoredSharedZone, _ scope: RequestScope) -> ZoneInfo {
        if let zone = entry.zone { return changed(zone, scope) }
        let id = scope.zoneID(ZonePlace(owner: entry.owner, name: entry.name))
        return ZoneInfo(zoneID: id, deleted: true, deletedReason: scope.extensions ? .deleted : nil)
    }

    /// The change of a zone. The reason of a deletion is an extension.
    private func changed(_ zone: StoredZone, _ scope: RequestScope) -> ZoneInfo {
        let id = scope.zoneID(zone.place)
        switch zone.state {
        case .live: return ZoneInfo(zoneID: id, syncToken: server.token(zone, scope), deleted: false)
        case .deleted: return ZoneInfo(zoneID: id, deleted: true, deletedReason: scope.extensions ? .deleted : nil)
        case .purged: return ZoneInfo(zoneID: id, deleted: true, deletedReason: scope.extensions ? .purged : nil)
        }
    }

    /// Answers `changes/zone`. A zone named twice is answered once, and the second time with an error.
    func zoneChanges(
        _ request: ZoneChangesRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        try scope.checkCount(request.zones.count + request.malformed.count, of: "zones")
        let limit = try scope.pageLimit(request.resultsLimit)
        var budget = budget
        for item in request.malformed.values {
            try budget.require(Self.bytesAroundPage + 2 * (item.name?.zoneName.utf8.count ?? 0))
        }
        let pages = try await self.pages(request.zones, limit: limit, scope, budget)
        let zones: [ZoneChangesResponse.Zone] = try zip(request.zones, pages).map { question, page in
            switch page {
            case .success(let page):
                .changes(try changes(page, question, scope, numbersAsStrings: request.numbersAsStrings))
            case .failure(let error): .error(ZoneError(zoneID: question.zoneID, error: error))
            }
        }
        let all = request.malformed.woven(into: zones) { .error(ZoneError(zoneID: $0.name, error: $0.error)) }
        return try budget.closeAfterSpending(
            ZoneChangesResponse(zones: all), numbersAsStrings: request.numbersAsStrings)
    }

    /// Answers `records/changes`: the changes of a single zone.
    func recordChanges(
        _ request: RecordChangesRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        let limit = try scope.pageLimit(request.resultsLimit)
        guard let page = try await pages([request.zone], limit: limit, scope, budget).first else {
            throw WireError(.internalError, "no answer about zone '\(request.zone.zoneID.zoneName)'")
        }
        let changes = try self.changes(
            try page.get(), request.zone, scope, numbersAsStrings: request.numbersAsStrings)
        return try budget.closeAfterSpending(
            RecordChangesResponse(
                records: changes.records, syncToken: changes.syncToken, moreComing: changes.moreComing),
            numbersAsStrings: request.numbersAsStrings)
    }

    /// A page of a zone, with the token for continuing after it.
    struct Page: Sendable {
        var stored: StoredPage
        var weightOfShares = 0
        var token: String?
        /// The point in the feed after the page; nil if no records are left, or if the newest come first.
        var end: Int64?
        /// The number of records after the page, if the request asks for it.
        var recordsLeft: Int?
    }

    /// Pages of several zones from one snapshot. Together they fit into one answer.
    private func pages(
        _ questions: [ZoneChangesRequest.Zone], limit: Int, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> [Result<Page, WireError>] {
        var budget = budget
        try budget.require(questions.reduce(0) { $0 + Self.bytesAroundPage + 2 * $1.zoneID.zoneName.utf8.count })
        let read: @Sendable (ZoneSnapshot) throws -> [Result<Page, WireError>] = { [budget] reading in
            try self.pages(questions, limit: limit, scope, budget, reading)
        }
        let pages =
            if let pages = try await replicaPages(questions, limit: limit, scope, read) { pages } else {
                try await server.storage.read(read)
            }
        server.metrics.feedRecords.increment(
            by: pages.reduce(0) { count, page in
                if case .success(let page) = page { count + page.stored.records.count } else { count }
            })
        return pages
    }

    /// The pages in a snapshot, or the error for each zone.
    private func pages(
        _ questions: [ZoneChangesRequest.Zone], limit: Int, _ scope: RequestScope, _ budget: AnswerBudget,
        _ reading: ZoneSnapshot
    ) throws -> [Result<Page, WireError>] {
        let owner = try reading.owner(scope.database)
        var repeats = RepeatedNames()
        var budget = budget
        var toCount = server.configuration.mostCounted
        var isFirst = true
        return try questions.map { question -> Result<Page, WireError> in
            do throws(WireError) {
                try repeats.check(try scope.place(of: question.zoneID).key, "zone")
                var page = try self.page(
                    question, owner, reading,
                    FeedQuery(
                        cursor: 0, limit: limit, bytes: budget.left, takesLargeCommit: isFirst,
                        reverse: question.reverse ?? false), scope)
                if question.countsRecords == true, scope.extensions {
                    page.recordsLeft = try countLeft(behind: page, reading, &toCount)
                }
                if !page.stored.records.isEmpty { isFirst = false }
                budget.spend(page.stored.records.reduce(0) { $0 + $1.weight } + page.weightOfShares)
                return .success(page)
            } catch {
                return .failure(try error.ofItem())
            }
        }
    }

    /// The bytes of a page without its records: zone and token.
    private static let bytesAroundPage = 800

    /// The page of one zone, with its token.
    private func page(
        _ question: ZoneChangesRequest.Zone, _ owner: StoredOwner?, _ reading: ZoneSnapshot,
        _ room: FeedQuery, _ scope: RequestScope
    ) throws(WireError) -> Page {
        let place = try scope.place(of: question.zoneID)
        if place.isDefault { throw WireError(.badRequest, "cannot get changes in default zone") }
        let zone = try scope.requireZone(at: place, owner, reading)
        let reverse = room.reverse
        if reverse, place.owner != nil { throw WireError(.badRequest, "Reverse sync of share db is unsupported") }
        let kind: SyncToken.Kind = reverse ? .zoneReverse : .zone
        let since = try cursor(question.syncToken, zone, kind, scope)
        var query = room
        query.cursor = since?.sequence ?? (reverse ? Int64.max : 0)
        // A first fetch needs no earlier deletions, so the present floor is good for all of its pages.
        let floor = reverse ? 0 : since.map(\.floor) ?? zone.floor
        let (stored, weight) = try WireError.storage { [query] in try storedPage(of: zone, query, reading) }
        if stored.records.isEmpty, stored.reached == nil, stored.moreComing {
            // Other zones have filled the answer. The client asks again for this one.
            let beginning = reverse ? nil : server.token(zone, scope, sequence: 0, floor: floor)
            return Page(stored: stored, weightOfShares: weight, token: question.syncToken ?? beginning)
        }
        let end = reverse ? 0 : zone.head
        let next = stored.moreComing ? stored.reached ?? stored.records.last?.sequence ?? end : end
        return Page(
            stored: stored, weightOfShares: weight,
            token: server.token(zone, scope, sequence: next, kind: kind, floor: floor),
            end: reverse || !stored.moreComing ? nil : next)
    }

    /// The number of records after a page.
    ///
    /// - Parameter most: The number of records that may still be counted. It is reduced by the counted ones.
    /// - Returns: nil if no records follow, or if the allowance is used up.
    private func countLeft(behind page: Page, _ reading: ZoneSnapshot, _ most: inout Int) throws(WireError) -> Int? {
        let zone = page.stored.zone
        // A guest with a part of the zone must not learn the number of hidden records.
        guard let end = page.end, most > 0, zone.access?.parts == nil else { return nil }
        let count = try WireError.storage { [most] in try reading.recordsLeft(zone, after: end, upTo: most) }
        most -= count
        return count
    }

    /// A page with the shares of its records. It is shortened if the participants of these shares exceed its bytes.
    private func storedPage(
        of zone: StoredZone, _ query: FeedQuery, _ reading: ZoneSnapshot
    ) throws -> (page: StoredPage, weightOfShares: Int) {
        var page = try reading.page(zone, query)
        guard zone.sharing.contains(.shared) else { return (page, 0) }
        var shares = ShownShares(of: zone, reading)
        if let fitting = try fitting(page.records, query, &shares) {
            var shorter = query
            shorter.limit = max(fitting, 1)
            page = try reading.page(zone, shorter)
            if page.records.count > fitting, !query.takesLargeCommit {
                // Even the first commit is too large for the rest of the answer.
                shorter.bytes = 0
                page = try reading.page(zone, shorter)
            }
            shares = ShownShares(of: zone, reading)
            for portion in page.records.parts(of: ShownShares.portion) { try shares.add(portion) }
        }
        page.shares = shares.all
        return (page, shares.weight)
    }

    /// The number of records that fit into a page together with the participants of their shares; nil if all fit.
    ///
    /// It does not read the shares of the records behind.
    private func fitting(
        _ records: [StoredRecord], _ query: FeedQuery, _ shares: inout ShownShares
    ) throws -> Int? {
        var count = 0, left = query.bytes
        for portion in records.parts(of: ShownShares.portion) {
            try shares.add(portion)
            for record in portion {
                left -= record.weight + shares.weight(of: record)
                // A large commit on a page by itself may have more bytes.
                guard left >= 0 || shares.weight == 0 else { return count }
                count += 1
            }
        }
        return nil
    }

    /// Reads a token of a request; nil if there is none.
    private func cursor(
        _ text: String?, _ zone: StoredZone, _ kind: SyncToken.Kind, _ scope: RequestScope
    ) throws(WireError) -> SyncToken? {
        guard let text else { return nil }
        do throws(SyncToken.Fault) { return try server.readToken(text, of: zone, kind, scope) } catch {
            throw error.wireError
        }
    }

    /// Encodes a page, with the desired fields of records of the desired types.
    private func changes(
        _ page: Page, _ question: ZoneChangesRequest.Zone, _ scope: RequestScope, numbersAsStrings: Bool
    ) throws -> ZoneChanges {
        let renderer = server.renderer(
            page.stored.zone, scope, shares: page.stored.shares, desiredKeys: try scope.fields(question.desiredKeys),
            numbersAsStrings: numbersAsStrings)
        let types = question.desiredRecordTypes.map(Set.init)
        // Deletions have no type, and a client needs all of them.
        let wanted = page.stored.records.lazy.filter { record in
            record.deleted || types.map { $0.contains(record.type ?? "") } ?? true
        }
        return ZoneChanges(
            zoneID: scope.zoneID(page.stored.zone.place), syncToken: page.token, moreComing: page.stored.moreComing,
            records: try wanted.map(renderer.record),
            history: scope.extensions ? String(server.storage.history, radix: 36) : nil,
            recordsLeft: page.recordsLeft)
    }
}
