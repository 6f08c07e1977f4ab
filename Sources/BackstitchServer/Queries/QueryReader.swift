import CloudWire

/// Reads a page of a query from one snapshot: all pieces of all zones, laid together in order.
struct QueryReader {
    let plan: QueryPlan
    let zones: [(zone: StoredZone, index: StoredQueryIndex)]
    let start: QueryPosition?
    let limit: Int
    /// Most bytes of records.
    let bytes: Int

    /// - Throws: BAD_REQUEST "limit exceeded" for more pieces than an answer can begin to read, or for an order by
    ///   distance of more records than can be put in order at a time.
    func page(_ reading: any QueryReading) throws -> QueryPage {
        let count = zones.count * plan.ranges.count
        guard count <= QueryLimits.walks else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a query of \(zones.count) zones, at most \(QueryLimits.walks)")
        }
        guard count > 0 else { return QueryPage(matches: [], end: nil) }
        return plan.ordersByDistance ? try pageByDistance(reading) : try pageOfIndex(reading, pieces: count)
    }

    private func pageOfIndex(_ reading: any QueryReading, pieces: Int) throws -> QueryPage {
        let allowance = QueryAllowance(
            matches: limit, looks: max(QueryLimits.looks / pieces, 1), bytes: bytes / pieces,
            end: ContinuousClock.now + QueryLimits.time)
        var found: [QueryMatch] = []
        // Up to the nearest end of a piece that was not read whole everything is known.
        var end: QueryPosition?
        // The first place that the page has no room for.
        var cut: QueryPosition?
        for (zone, index) in zones {
            for range in plan.ranges {
                let walk = try QueryWalk(plan, range, in: zone, index, after: start, allowance, reading)
                found += walk.matches.filter { match in cut.map { isBefore(match.position, $0) } ?? true }
                cut = keepFirst(&found) ?? cut
                if let place = walk.end, end.map({ isBefore(place, $0) }) ?? true { end = place }
            }
        }
        guard let end else { return QueryPage(matches: found, end: cut == nil ? nil : found.last?.position) }
        let isFull = cut.map { !isBefore(end, $0) } ?? false
        let known = found.prefix { !isBefore(end, $0.position) }
        return QueryPage(matches: Array(known), end: isFull ? known.last?.position : end)
    }

    private func isBefore(_ first: QueryPosition, _ second: QueryPosition) -> Bool {
        plan.isBackward ? second < first : first < second
    }

    /// Finds all that fit, and puts the page's part of them in order. Only places are kept of the others.
    private func pageByDistance(_ reading: any QueryReading) throws -> QueryPage {
        var looks = QueryLimits.looks
        var found: [QueryMatch] = []
        let end = ContinuousClock.now + QueryLimits.time
        // The first place that the page has no room for; nothing behind it is on this page, however small.
        var cut: QueryPosition?
        for (zone, index) in zones {
            for range in plan.ranges {
                var place: QueryPosition?
                repeat {
                    guard looks > 0, ContinuousClock.now < end else {
                        throw WireError(
                            .badRequest,
                            "\(WireError.limitExceededPrefix): an order by distance is for at most "
                                + "\(QueryLimits.looks) records; narrow it by a filter")
                    }
                    let portion = min(looks, 100)
                    looks -= portion
                    let walk = try QueryWalk(
                        plan, range, in: zone, index, after: place,
                        QueryAllowance(matches: portion, looks: portion, bytes: bytes, end: end), reading)
                    place = walk.end
                    found += try walk.matches.map(placed).filter { match in
                        (start.map { $0 < match.position } ?? true) && (cut.map { match.position < $0 } ?? true)
                    }
                    cut = keepFirst(&found) ?? cut
                } while place != nil
            }
        }
        return QueryPage(matches: found, end: cut == nil ? nil : found.last?.position)
    }

    /// Puts matches in order, and forgets those that the page has no room for; gives the place of the first of
    /// these.
    private func keepFirst(_ found: inout [QueryMatch]) -> QueryPosition? {
        found.sort { isBefore($0.position, $1.position) }
        var kept: [QueryMatch] = []
        var left = bytes
        for match in found where match.position != kept.last?.position {
            if kept.count == limit || !kept.isEmpty && match.record.weight > left {
                found = kept
                return match.position
            }
            left -= match.record.weight
            kept.append(match)
        }
        found = kept
        return nil
    }

    /// The match at its place in the order by distances.
    private func placed(_ match: QueryMatch) throws -> QueryMatch {
        let fields = try WireRecord.Fields(json: match.record.fields).values
        var match = match
        match.position.key = plan.sorts.flatMap { $0.key(match.record, fields) }
        return match
    }
}
