import CloudWire

/// The reading of one piece of an index, with the matches in it.
struct QueryWalk {
    /// The number of entries read at a time: in the first step, and at most.
    private static let portions = (first: 16, most: 128)

    private(set) var matches: [QueryMatch] = []
    /// The last examined place; nil if the piece was read to its end.
    private(set) var end: QueryPosition?
    private let plan: QueryPlan

    /// Reads from a place until the piece ends or the allowance is used up. At least one entry is examined.
    init(
        _ plan: QueryPlan, _ range: QueryRange, in zone: StoredZone, _ index: StoredQueryIndex,
        after position: QueryPosition?, _ allowance: QueryAllowance, _ reading: ZoneSnapshot
    ) throws {
        self.plan = plan
        var span = range.span(after: position, in: zone, isBackward: plan.isBackward)
        var looks = 0, bytes = 0
        // Each piece must make progress, even if others have used up the time.
        var portion = ContinuousClock.now > allowance.end ? 1 : Self.portions.first
        while true {
            let limit = min(portion, allowance.looks - looks, allowance.matches + 1)
            let (entries, isCut) = try reading.queryEntries(
                zone, index, span, limit: limit, bytes: QueryLimits.bytesOfPortion)
            for entry in entries {
                looks += 1
                let place = QueryPosition(
                    key: Array(entry.key.dropFirst(range.prefix.count)), zone: zone.name, name: entry.name)
                if let record = entry.record, try fits(record, key: entry.key) {
                    let weight = record.weight
                    if matches.count == allowance.matches || !matches.isEmpty && bytes + weight > allowance.bytes {
                        end = matches.last?.position
                        return
                    }
                    bytes += weight
                    matches.append(QueryMatch(position: place, zone: zone, record: record))
                }
                end = place
            }
            guard isCut || entries.count == limit, let last = entries.last else {
                end = nil
                return
            }
            portion = min(portion * 2, Self.portions.most)
            if looks >= allowance.looks || ContinuousClock.now > allowance.end { return }
            (span.key, span.name) = (last.key, last.name)
        }
    }

    /// Whether a record matches, and this entry is the one that counts.
    private func fits(_ record: StoredRecord, key: [UInt8]) throws -> Bool {
        guard !record.deleted else { return false }
        let needsFields = plan.index.hasParts || plan.conditions.contains { !$0.field.isSystem }
        let fields = needsFields ? try WireRecord.Fields(json: record.fields).values : [:]
        var known = QueryParts()
        guard plan.conditions.allSatisfy({ $0.holds(record, fields, &known) }) else { return false }
        // A record with several entries in the piece counts at its first one.
        return !plan.index.hasParts
            || plan.firstKey(of: record, fields, like: key) == key
    }
}

extension QueryPlan {
    /// The entry at which a record counts: its first one in the plan's pieces, if its entries differ in their order.
    ///
    /// Otherwise it is the entry being read. Then the entries have equal places, and the merge of the pieces removes
    /// the repetitions.
    fileprivate func firstKey(
        of record: StoredRecord, _ fields: [String: WireValue?], like key: [UInt8]
    ) -> [UInt8]? {
        guard index.components.last?.part != .value, ranges.allSatisfy({ $0.prefix == ranges.first?.prefix }) else {
            return key
        }
        return index.keys(of: record, fields)
            .filter { key in ranges.contains { $0.contains(key) } }
            .min { $0.lexicographicallyPrecedes($1) }
    }
}
