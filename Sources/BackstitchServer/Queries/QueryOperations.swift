import CloudWire

/// The search for records by their fields.
struct QueryOperations: Sendable {
    let server: ServerContext

    /// Answers `records/query`.
    ///
    /// Each answer reads one snapshot. The next one continues after its last place in the order. So an unchanged record
    /// occurs once. If a change between two answers moves a record across that place, it may occur twice or not at all.
    ///
    /// - Throws: BAD_REQUEST for a query that makes no sense, is too large, or has a field without a permission to be
    ///   queried; TRY_AGAIN_LATER while an index is made for it.
    func query(
        _ request: RecordsQueryRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        let limit = try scope.pageLimit(request.resultsLimit)
        let fields = try scope.fields(request.desiredKeys)
        let subject = try ContinuationMarker.Subject(request, scope)
        let isWide = request.zoneWide && request.zoneID == nil && scope.database.scope != .shared
        let place = isWide ? nil : try scope.place(of: request.zoneID)
        var plan = try QueryPlan(request.query, isWide: isWide)
        try plan.requireQueryable(server.configuration.queryIndexes, scope)
        try plan.restrict(to: scope)
        let start = try request.continuationMarker.map { text throws(WireError) in
            try ContinuationMarker(text, subject, server.signer).position
        }
        let deadline = ContinuousClock.now + QueryLimits.makingTime
        while true {
            let look = try await server.storage.read { [plan] reading in
                try self.look(plan, at: place, after: start, limit: limit, bytes: budget.left, scope, reading)
            }
            switch look {
            case .found(let page, let used, let zone, let shares):
                try await noteUse(of: used)
                return try encode(
                    page, shares, request, fields, subject, scope, budget,
                    syncToken: zone.flatMap { request.getCurrentSyncToken ? server.token($0, scope) : nil })
            case .lacks(let zones): for zone in zones { try await make(plan.index, in: zone, scope, until: deadline) }
            }
        }
    }

    /// The result of looking for indexes and matches.
    private enum Look: Sendable {
        /// A page, with the used indexes, the custom zone of the query, and the shares to show, by zone.
        case found(
            QueryPage, used: [(zone: StoredZone, index: StoredQueryIndex)], zone: StoredZone?,
            shares: [Int64: [StoredShare]])
        /// Zones that still lack the index.
        case lacks([StoredZone])
    }

    /// Looks for the index in all zones of the query, and reads a page if none of them lacks it.
    private func look(
        _ plan: QueryPlan, at place: ZonePlace?, after start: QueryPosition?, limit: Int, bytes: Int,
        _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws -> Look {
        let owner = try reading.owner(scope.database)
        var zones: [StoredZone] = []
        if let place {
            if let zone = try scope.zone(at: place, owner, reading) {
                zones = [zone]
            } else if !place.isDefault {
                throw RequestScope.zoneNotFound(place.name)
            }
        } else if let owner {
            zones = try reading.liveZones(owner)
        }
        try plan.requireSortable(in: zones)
        let custom = place?.isDefault == false ? zones.first : nil
        guard zones.count <= QueryLimits.walks else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(zones.count) zones, at most \(QueryLimits.walks) a query")
        }
        var ready: [(zone: StoredZone, index: StoredQueryIndex)] = []
        var lacking: [StoredZone] = []
        // A zone without any commit has no records.
        for zone in zones where zone.head > 0 {
            let index = try reading.queryIndexes(zone).first { $0.index == plan.index && $0.state == .whole }
            if let index { ready.append((zone, index)) } else { lacking.append(zone) }
        }
        guard lacking.isEmpty else { return .lacks(lacking) }
        let reader = QueryReader(plan: plan, zones: ready, start: start, limit: limit, bytes: bytes)
        let page = try reader.page(reading)
        var shares: [Int64: [StoredShare]] = [:]
        for (zone, _) in ready where zone.sharing.contains(.records) {
            let records = page.matches.filter { $0.zone.zoneID == zone.zoneID }.map(\.record)
            shares[zone.zoneID] = try ShownShares(in: records, of: zone, scope, reading).all
        }
        return .found(page, used: ready, zone: custom, shares: shares)
    }

    /// Encodes a page with its marker.
    private func encode(
        _ page: QueryPage, _ shares: [Int64: [StoredShare]], _ request: RecordsQueryRequest,
        _ fields: Set<String>?, _ subject: ContinuationMarker.Subject, _ scope: RequestScope, _ budget: AnswerBudget,
        syncToken: String?
    ) throws -> BoundedAnswer {
        var budget = budget
        let withFields = fields != []
        let records = try page.matches.map { match in
            try budget.require(withFields ? match.record.weight : match.record.weight - match.record.fields.count)
            let renderer = server.renderer(
                match.zone, scope, shares: shares[match.zone.zoneID] ?? [], desiredKeys: fields,
                numbersAsStrings: request.numbersAsStrings)
            return RecordResult.record(try renderer.record(match.record))
        }
        return try budget.closeAfterSpending(
            RecordsQueryResponse(
                records: records,
                continuationMarker: page.end.map { ContinuationMarker($0).text(subject, server.signer) },
                syncToken: syncToken),
            numbersAsStrings: request.numbersAsStrings)
    }
}
