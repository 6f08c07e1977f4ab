import CloudWire
import CoreMetrics

extension ChangeFeed {
    /// Answers `changes/query`: the feed of the public database, limited to some queries and to the caller's rights.
    ///
    /// It reads the zone's own feed, commit by commit, so followers cost no storage. A page ends when it has tried
    /// ``QueryLimits/looks`` filters, at any record, and says that more is coming.
    ///
    /// - Throws: BAD_REQUEST for too many queries, a senseless query, a field without permission to be queried, or an
    ///   invalid token; ACCESS_DENIED for a type that the caller may not read.
    func queryChanges(
        _ request: QueryChangesRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        let limit = try scope.pageLimit(request.resultsLimit)
        let queries = try followed(request.queries, scope)
        let answer = try await server.storage.read { [budget] reading -> QueryChangesResponse in
            let place = try scope.place(of: nil)
            guard let owner = try reading.owner(scope.database), let zone = try scope.zone(at: place, owner, reading)
            else {
                // There is no zone before the first write. A token with epoch 0 always means "from the beginning".
                return QueryChangesResponse(syncToken: request.syncToken ?? beginning(place, scope))
            }
            guard let text = request.syncToken else {
                return QueryChangesResponse(syncToken: server.token(zone, scope))
            }
            let since: SyncToken
            do throws(SyncToken.Fault) { since = try server.readFeedToken(text, of: zone, scope) } catch {
                throw error.wireError
            }
            return try page(of: zone, after: since, limit: limit, queries, scope, budget, reading)
        }
        server.metrics.feedRecords.increment(by: answer.records.count)
        return try budget.closeAfterSpending(answer)
    }

    /// Plans the followed queries.
    ///
    /// - Throws: BAD_REQUEST for too many queries or an invalid one; ACCESS_DENIED for a type that the caller may not
    ///   read.
    private func followed(_ queries: [RecordQuery], _ scope: RequestScope) throws(WireError) -> FollowedQueries {
        guard (1...FollowedQueries.limit).contains(queries.count) else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(queries.count) queries, 1 to \(FollowedQueries.limit) a request")
        }
        var plans: [QueryPlan] = []
        for query in queries {
            var plan = try QueryPlan(query, isWide: false)
            try plan.requireQueryable(server.configuration.queryIndexes, scope)
            try plan.restrict(to: scope)
            plans.append(plan)
        }
        return FollowedQueries(plans)
    }

    /// A page of the changes after a token.
    private func page(
        of zone: StoredZone, after since: SyncToken, limit: Int, _ queries: FollowedQueries, _ scope: RequestScope,
        _ budget: AnswerBudget, _ reading: ZoneSnapshot
    ) throws -> QueryChangesResponse {
        var budget = budget
        try budget.require(Self.bytesAroundAnswer)
        let renderer = server.renderer(zone, scope, desiredKeys: nil, numbersAsStrings: false)
        var page = QueryChangesResponse(syncToken: "")
        var (reached, tried, isFull) = (since.sequence, 0, false)
        // The bytes of all records read so far, reported or not.
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
        page.syncToken = server.token(zone, scope, sequence: reached, floor: since.floor)
        return page
    }

    /// The token for the beginning of a zone that does not exist yet.
    private func beginning(_ place: ZonePlace, _ scope: RequestScope) -> String {
        SyncToken(kind: .zone, epoch: 0, sequence: 0).text(
            SyncToken.Feed(database: scope.database, zone: place.key), server.signer)
    }

    /// The bytes of an answer without its records: keys and token.
    private static let bytesAroundAnswer = 800
}
