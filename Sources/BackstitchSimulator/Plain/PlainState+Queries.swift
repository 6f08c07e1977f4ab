extension PlainState {
    /// Returns a page of the records that match all filters of a query.
    mutating func query(_ body: PlainJSON) throws -> PlainJSON {
        let (name, zone) = try find(body["zoneID"])
        guard let type = body["query"]["recordType"].text else { throw PlainError.badRequest("no record type") }
        let filters = body["query"]["filterBy"].elements
        let sight = sight(of: zone)
        var found = try zone.records.values.filter { record in
            try !record.isDeleted && record.type == type && sight?.contains(record.name) ?? true
                && filters.allSatisfy { try holds($0, for: record) }
        }
        switch body["query"]["sortBy"].elements.first?["systemFieldName"].text {
        case nil: found.sort { $0.name < $1.name }
        case "modifiedTimestamp"?: found.sort { ($0.modified, $0.sequence) < ($1.modified, $1.sequence) }
        default: throw PlainError.badRequest("not sortable")
        }
        var rest = found[...]
        if let marker = body["continuationMarker"].text {
            let parts = marker.split(separator: ".").compactMap { Int64($0) }
            guard parts.count == 4, parts[0] == markerEpoch, parts[3] == Self.mark(of: body["query"]) else {
                throw PlainError.badRequest("Invalid continuation marker")
            }
            rest = rest.drop { ($0.modified, $0.sequence) <= (parts[1], parts[2]) }
        }
        let page = rest.prefix(max(1, min(Int(body["resultsLimit"].integer ?? 200), behavior.page)))
        let next =
            page.count < rest.count
            ? page.last.map { "\(markerEpoch).\($0.modified).\($0.sequence).\(Self.mark(of: body["query"]))" } : nil
        return .made([
            "records": .array(page.map { render($0, name) }), "continuationMarker": next.map(PlainJSON.string),
        ])
    }

    /// Tells queries apart: a marker is valid only for its own query.
    private static func mark(of query: PlainJSON) -> Int64 {
        query.bytes.reduce(7) { ($0 &* 31 &+ Int64($1)) & 0xFFFF_FFFF }
    }

    private func holds(_ filter: PlainJSON, for record: Record) throws -> Bool {
        let value: PlainJSON =
            switch (filter["systemFieldName"].text, filter["fieldName"].text) {
            case ("modifiedTimestamp"?, nil): .integer(record.modified)
            case (nil, let field?): record.fields[field]["value"]
            default: throw PlainError.badRequest("not queryable")
            }
        let other = filter["fieldValue"]["value"]
        switch filter["comparator"].text {
        case "EQUALS"?: return value == other
        case "NOT_EQUALS"?: return value != other
        case "LESS_THAN"?: return isBefore(value, other)
        case "LESS_THAN_OR_EQUALS"?: return isBefore(value, other) || value == other
        case "GREATER_THAN"?: return isBefore(other, value)
        case "GREATER_THAN_OR_EQUALS"?: return isBefore(other, value) || value == other
        case "IN"?: return other.elements.contains(value)
        case "NOT_IN"?: return !other.elements.contains(value)
        case "BEGINS_WITH"?: return other.text.flatMap { value.text?.hasPrefix($0) } ?? false
        case "NOT_BEGINS_WITH"?: return !(other.text.flatMap { value.text?.hasPrefix($0) } ?? false)
        default: throw PlainError.badRequest("no such comparator")
        }
    }

    private func isBefore(_ first: PlainJSON, _ second: PlainJSON) -> Bool {
        if let first = first.text, let second = second.text { return first < second }
        if let first = first.integer, let second = second.integer { return first < second }
        return false
    }

    /// Notifies subscriptions to queries of a change in the public database. An unneeded hint does no harm.
    mutating func notifyQueries(of record: String, _ type: String?) {
        for subscription in subscriptions where subscription.database == .public {
            guard type == nil || subscription.content["query"]["recordType"].text == type else { continue }
            let subject = PlainJSON.made([
                "sid": .string(subscription.id), "rid": .string(record), "fo": .integer(2),
                "zid": .string(Self.publicZone),
                "zoid": .string(Self.user), "dbs": .integer(1),
            ])
            post("qry", subject, to: subscription.user)
        }
    }
}
