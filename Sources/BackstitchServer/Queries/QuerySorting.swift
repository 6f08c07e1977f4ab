import CloudWire

/// A checked field to sort by.
struct QuerySorting: Sendable {
    let field: QueryField
    let isAscending: Bool
    /// The start of distances; nil for an order by the value itself.
    let place: WireLocation?

    /// Checks a field to sort by.
    ///
    /// - Throws: BAD_REQUEST for an unknown system field, a bad name or a place outside the earth.
    init(_ sort: QuerySort) throws(WireError) {
        field = try QueryField(sort.fieldName, system: sort.systemFieldName)
        isAscending = sort.ascending
        place = sort.relativeLocation
        if let reason = place.flatMap(QueryDistance.fault) {
            throw WireError(.badRequest, "field '\(field.name)': relativeLocation is not a place on earth: \(reason)")
        }
    }

    /// The bytes of the record for this field of the order.
    func key(_ record: StoredRecord, _ fields: [String: WireValue?]) -> [UInt8] {
        var value = field.value(record, fields)
        if let place {
            if case .location(let other) = value {
                value = .double(QueryDistance.metres(place, other))
            } else {
                value = nil
            }
        }
        let key = QueryKey.bytes(value)
        return isAscending ? key : key.map(~)
    }
}
