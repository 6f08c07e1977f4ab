import BackstitchSupport
import CloudWire

/// The plan of a query: its index, the pieces of the index to read, and the conditions for each record in them.
///
/// The index begins with fields that must equal a value, two at most. Then there is at most one field with a choice of
/// several values, and each value is a piece of its own. The fields to sort by are last. A query without an order takes
/// the order of a field with a range. All other filters are tried on the records.
struct QueryPlan: Sendable {
    let type: String
    private(set) var conditions: [QueryCondition]
    let sorts: [QuerySorting]
    private(set) var index: QueryIndex
    private(set) var ranges: [QueryRange] = []
    /// Whether the index is read from its end.
    let isBackward: Bool
    /// Whether the query is for several zones.
    private let isWide: Bool

    /// Checks a query and plans it.
    ///
    /// - Throws: BAD_REQUEST for a query that makes no sense, or exceeds ``QueryLimits``.
    init(_ query: RecordQuery, isWide: Bool) throws(WireError) {
        _ = try QueryLimits.json(of: query)
        if let fault = RecordRules.fault(inRecordType: query.recordType) { throw WireError(.badRequest, fault) }
        for (count, limit, what) in [
            (query.filterBy.count, QueryLimits.filters, "filters"),
            (query.sortBy.count, QueryLimits.sorts, "fields to sort by"),
        ] where count > limit {
            throw WireError(
                .badRequest, "\(WireError.limitExceededPrefix): \(count) \(what), at most \(limit) a query")
        }
        type = query.recordType
        self.isWide = isWide
        var conditions: [QueryCondition] = []
        for filter in query.filterBy { conditions.append(try QueryCondition(filter)) }
        self.conditions = conditions
        var sorts: [QuerySorting] = []
        for sort in query.sortBy {
            let sort = try QuerySorting(sort)
            // The second occurrence of a field decides nothing more.
            if !sorts.contains(where: { $0.field == sort.field && $0.place == sort.place }) { sorts.append(sort) }
        }
        self.sorts = sorts
        isBackward = sorts.contains { $0.place != nil } ? false : sorts.first?.isAscending == false
        index = QueryIndex(type: type, components: [])
        choose()
    }

    /// Whether the order is by distance. No index has such an order, so all matches are sorted for each answer.
    var ordersByDistance: Bool { sorts.contains { $0.place != nil } }

    /// The app's own fields in the query.
    var fields: (filtered: Set<String>, sorted: Set<String>) {
        (
            Set(conditions.lazy.map(\.field).filter { !$0.isSystem }.map(\.name)),
            Set(sorts.lazy.map(\.field).filter { !$0.isSystem }.map(\.name))
        )
    }

    /// Limits the query to records made by one user.
    mutating func restrict(toCreator user: String) {
        conditions.append(QueryCondition(.createdBy, .equals(.string(user))))
        choose()
    }

    /// Chooses the index and its pieces for the conditions and the order.
    private mutating func choose() {
        var prefix: [UInt8] = []
        var components: [QueryIndex.Component] = []
        for condition in conditions.sorted(by: { $0.field.name < $1.field.name }) where components.count < 2 {
            guard case .equals(let value) = condition.test, !condition.isNegated,
                !components.contains(where: { $0.field == condition.field })
            else { continue }
            components.append(.init(field: condition.field))
            prefix += QueryKey.bytes(value)
        }
        var prefixes = [prefix]
        if let choice = conditions.lazy.compactMap(choices).first(where: { choice in
            !components.contains { $0.field == choice.component.field }
        }) {
            components.append(choice.component)
            prefixes = choice.values.map { prefix + $0 }
        } else if ordersByDistance || sorts.isEmpty, let order = ownOrder(without: components) {
            index = QueryIndex(type: type, components: components + [order.component])
            ranges = order.bounds.map { QueryRange(prefix, $0.lower, $0.upper) }
            return
        }
        guard !ordersByDistance, let first = sorts.first else {
            index = QueryIndex(type: type, components: components)
            ranges = prefixes.map { QueryRange($0) }
            return
        }
        let order = sorts.map { QueryIndex.Component(field: $0.field, isInverted: $0.isAscending != first.isAscending) }
        index = QueryIndex(type: type, components: components + order)
        let bounds = self.bounds(of: first.field)
        ranges = prefixes.map { QueryRange($0, bounds?.lower, bounds?.upper) }
    }

    /// A choice of values: a matching record has one of them. Nil for other conditions, or if there are too many
    /// values.
    private func choices(
        _ condition: QueryCondition
    ) -> (component: QueryIndex.Component, values: Set<[UInt8]>)? {
        guard !condition.isNegated, !isWide else { return nil }
        var part = QueryIndex.Part.value
        var values: Set<[UInt8]>
        switch condition.test {
        case .isIn(let list): values = Set(list.map { QueryKey.bytes($0) })
        case .containsAll(let list):
            guard let first = list.first else { return nil }
            (part, values) = (.elements, [QueryKey.bytes(first)])
        // The longest word is usually the rarest.
        case .allWords(let words):
            guard let word = words.max(by: { ($0.string.utf8.count, $0) < ($1.string.utf8.count, $1) }) else {
                return nil
            }
            (part, values) = (.words, [QueryKey.bytes(.string(word.string))])
        case .anyWord(let words): (part, values) = (.words, Set(words.map { QueryKey.bytes(.string($0.string)) }))
        default: return nil
        }
        if part != .value { values.insert([QueryKey.Kind.tooMany.rawValue]) }
        return values.count <= QueryLimits.walks ? (.init(field: condition.field, part: part), values) : nil
    }

    private typealias Bounds = (lower: [UInt8], upper: [UInt8])

    /// The order of a query that asks for none. It is the order of a field with a range.
    private func ownOrder(
        without fixed: [QueryIndex.Component]
    ) -> (component: QueryIndex.Component, bounds: [Bounds])? {
        for condition in conditions where !fixed.contains(where: { $0.field == condition.field }) {
            if let bounds = bounds(of: condition.field) { return (.init(field: condition.field), [bounds]) }
            if case .memberBegins(let text) = condition.test, !condition.isNegated {
                let start = QueryKey.beginning(text), many = [QueryKey.Kind.tooMany.rawValue]
                let bounds = [(start, QueryKey.after(start)), (many, QueryKey.after(many))]
                return (.init(field: condition.field, part: .elements), bounds)
            }
        }
        return nil
    }

    /// The common range of all conditions on a field; nil if none of them gives a range.
    private func bounds(of field: QueryField) -> Bounds? {
        conditions.lazy.filter { $0.field == field }.compactMap(\.bounds).reduce(nil) { found, next in
            guard let found else { return next }
            return (
                found.lower.lexicographicallyPrecedes(next.lower) ? next.lower : found.lower,
                next.upper.lexicographicallyPrecedes(found.upper) ? next.upper : found.upper
            )
        }
    }
}

extension QueryCondition {
    /// The range of keys that has all matching records, and perhaps others; nil if there is no such range.
    fileprivate var bounds: (lower: [UInt8], upper: [UInt8])? {
        guard !isNegated else { return nil }
        switch test {
        case .equals(let value):
            let key = QueryKey.bytes(value)
            return (key, QueryKey.after(key))
        case .less(let value, _):
            let key = QueryKey.bytes(value)
            return ([key[0]], QueryKey.after(key))
        case .greater(let value, _):
            let key = QueryKey.bytes(value)
            return (key, [key[0] + 1])
        case .begins(let text):
            let start = QueryKey.beginning(text)
            return (start, QueryKey.after(start))
        case .near(let place, let metres):
            let degrees = QueryDistance.degrees(metres), kind = QueryKey.Kind.location.rawValue
            return (
                [kind] + QueryKey.number(place.latitude - degrees),
                QueryKey.after([kind] + QueryKey.number(place.latitude + degrees))
            )
        default: return nil
        }
    }
}
