import CloudWire

/// Reads a page of a query from one snapshot. It merges all pieces of all zones in order.
struct QueryReader {
    let plan: QueryPlan
    let zones: [(zone: StoredZone, index: StoredQueryIndex)]
    let start: QueryPosition?
    let limit: Int
    /// The maximum bytes of records.
    let bytes: Int

    /// Reads the page that begins after `start`.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if the query has too many pieces, or orders too many records by distance.
    func page(_ reading: ZoneSnapshot) throws -> QueryPage {
        let count = zones.count * plan.ranges.count
        guard count <= QueryLimits.walks else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a query of \(zones.count) zones, at most \(QueryLimits.walks)")
        }
        guard count > 0 else { return QueryPage(matches: [], end: nil) }
        return plan.ordersByDistance ? try pageByDistance(reading) : try pageOfIndex(reading, pieces: count)
    }

    /// Reads a page in the order of the index.
    private func pageOfIndex(_ reading: ZoneSnapshot, pieces: Int) throws -> QueryPage {
        let allowance = QueryAllowance(
            matches: limit, looks: max(QueryLimits.looks / pieces, 1), bytes: bytes / pieces,
            end: ContinuousClock.now + QueryLimits.time)
        var found: [QueryMatch] = []
        // Every match before the nearest end of an unfinished piece is known.
        var end: QueryPosition?
        // The first place beyond the room of the page.
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

    /// Whether one place comes before another in the direction of the query.
    private func isBefore(_ first: QueryPosition, _ second: QueryPosition) -> Bool {
        plan.isBackward ? second < first : first < second
    }

    /// Finds all matches, and sorts those of this page. Of the others only places are kept.
    private func pageByDistance(_ reading: ZoneSnapshot) throws -> QueryPage {
        var looks = QueryLimits.looks
        var found: [QueryMatch] = []
        let end = ContinuousClock.now + QueryLimits.time
        // The first place beyond the room of the page. No match behind it is on this page, even a small one.
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

    /// Sorts matches, and drops those beyond the room of the page. Returns the place of the first dropped one.
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

    /// The match with its place in the order by distance.
    private func placed(_ match: QueryMatch) throws -> QueryMatch {
        let fields = try WireRecord.Fields(json: match.record.fields).values
        var match = match
        match.position.key = plan.sorts.flatMap { $0.key(match.record, fields) }
        return match
    }
}
