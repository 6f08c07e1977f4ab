import CloudWire
import CoreMetrics

extension ZoneService {
    /// `changes/query`: the feed of the public database, as far as some queries are about it and the caller may read.
    ///
    /// It is the zone's own feed, commit by commit, so nothing is kept for those who follow. A page ends after
    /// ``QueryLimits/looks`` filters that were tried, wherever that is, and says that there is more.
    ///
    /// - Throws: BAD_REQUEST for a query that makes no sense or asks of a field that is not queryable, for too many,
    ///   and for a token that is not honoured; ACCESS_DENIED for a type that the caller may not read.
    func queryChanges(
        _ request: QueryChangesRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        let limit = try pageLimit(request.resultsLimit, scope)
        let queries = try followed(request.queries, scope)
        let answer = try await storage.read { [budget] reading -> QueryChangesResponse in
            let place = try scope.place(of: nil)
            guard let owner = try reading.owner(scope.database), let zone = try look(for: place, owner, scope, reading)
            else {
                // Before the first write there is no zone; such a token means "from the beginning" for ever.
                return QueryChangesResponse(syncToken: request.syncToken ?? beginning(place, scope))
            }
            guard let text = request.syncToken else {
                return QueryChangesResponse(syncToken: token(zone, scope))
            }
            let since: SyncToken
            do throws(SyncToken.Fault) { since = try readFeedToken(text, of: zone, scope) } catch {
                throw error.wireError
            }
            return try page(of: zone, after: since, limit: limit, queries, scope, budget, reading)
        }
        metrics.feedRecords.increment(by: answer.records.count)
        return try budget.closeAfterSpending(answer)
    }

    private func followed(_ queries: [RecordQuery], _ scope: RequestScope) throws(WireError) -> FollowedQueries {
        guard (1...FollowedQueries.limit).contains(queries.count) else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(queries.count) queries, 1 to \(FollowedQueries.limit) a request")
        }
        var plans: [QueryPlan] = []
        for query in queries {
            var plan = try QueryPlan(query, isWide: false)
            try requireQueryable(plan, scope)
            try restrict(&plan, scope)
            plans.append(plan)
        }
        return FollowedQueries(plans)
    }

    private func page(
        of zone: StoredZone, after since: SyncToken, limit: Int, _ queries: FollowedQueries, _ scope: RequestScope,
        _ budget: AnswerBudget, _ reading: any ZoneReading
    ) throws -> QueryChangesResponse {
        var budget = budget
        try budget.require(Self.bytesAroundAnswer)
        let renderer = self.renderer(zone, scope, desiredKeys: nil, numbersAsStrings: false)
        var page = QueryChangesResponse(syncToken: "")
        var (reached, tried, isFull) = (since.sequence, 0, false)
        // Records that are read count, told or not.
        var read = 0
        let end = ContinuousClock.now + QueryLimits.time
        while !isFull {
            let affordable = (QueryLimits.looks - tried) / queries.highestPrice
            let part = try reading.page(
                zone,
                FeedQuery(
                    cursor: reached, limit: max(min(limit - page.records.count, affordable), 1),
                    bytes: max(min(budget.left, scope.limits.answer - read), 1),
                    takesLargeCommit: page.records.isEmpty, reverse: false))
            read += part.records.reduce(0) { $0 + $1.weight }
            for record in part.records {
                tried += queries.price(of: record)
                switch try queries.meaning(of: record, to: scope) {
                case .told:
                    page.records.append(try renderer.record(record))
                    budget.spend(record.weight)
                case .unmatched:
                    page.unmatched.append(record.name)
                    budget.spend(2 * record.name.utf8.count + 3)
                case .hidden: break
                }
            }
            page.moreComing = part.moreComing
            reached = part.moreComing ? part.records.last?.sequence ?? reached : zone.head
            isFull =
                !part.moreComing || part.records.isEmpty || page.records.count >= limit || budget.left <= 0
                || tried >= QueryLimits.looks || read >= scope.limits.answer || ContinuousClock.now > end
        }
        page.syncToken = token(zone, scope, sequence: reached, floor: since.floor)
        return page
    }

    /// Reads a token of a zone's feed; one that was given before the zone was there stands for its beginning.
    func readFeedToken(
        _ text: String, of zone: StoredZone, _ scope: RequestScope
    ) throws(SyncToken.Fault) -> SyncToken {
        let feed = SyncToken.Feed(database: scope.database, zone: zone.place.key)
        let token = try SyncToken.read(text, feed, signer)
        guard token.kind == .zone, token.epoch == 0, zone.place.isDefault else {
            return try readToken(text, of: zone, .zone, scope)
        }
        guard zone.floor == 0 else { throw .expired }
        return token
    }

    private func beginning(_ place: ZonePlace, _ scope: RequestScope) -> String {
        SyncToken(kind: .zone, epoch: 0, sequence: 0).text(
            SyncToken.Feed(database: scope.database, zone: place.key), signer)
    }

    /// Bytes of an answer without its records: keys and token.
    private static let bytesAroundAnswer = 800
}
