import BackstitchSupport
import CloudWire

/// How a query is answered: the index, the pieces of it that are read, and what is asked of each record there.
///
/// Fields that must equal a value come first in the index, two of them at most; then, at most once, a field of which
/// one of several values is asked for, each of which is a piece of its own; then the fields to sort by. A query without
/// an order takes that of a field of which a range is asked for. All other filters are tried on the records.
struct QueryPlan: Sendable {
    let type: String
    private(set) var conditions: [QueryCondition]
    let sorts: [QuerySorting]
    private(set) var index: QueryIndex
    private(set) var ranges: [QueryRange] = []
    /// Whether the index is read from its end.
    let isBackward: Bool
    /// Whether several zones are looked in.
    private let isWide: Bool

    /// - Throws: BAD_REQUEST for a query that makes no sense, or is larger than queries may be.
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
            // The second time a field has nothing left to decide.
            if !sorts.contains(where: { $0.field == sort.field && $0.place == sort.place }) { sorts.append(sort) }
        }
        self.sorts = sorts
        isBackward = sorts.contains { $0.place != nil } ? false : sorts.first?.isAscending == false
        index = QueryIndex(type: type, components: [])
        choose()
    }

    /// Whether the order is by distances, which no index has: all records that fit are put in order each time.
    var ordersByDistance: Bool { sorts.contains { $0.place != nil } }

    /// The app's own fields that the query looks at.
    var fields: (filtered: Set<String>, sorted: Set<String>) {
        (
            Set(conditions.lazy.map(\.field).filter { !$0.isSystem }.map(\.name)),
            Set(sorts.lazy.map(\.field).filter { !$0.isSystem }.map(\.name))
        )
    }

    /// Leaves out records that this user has not made.
    mutating func restrict(toCreator user: String) {
        conditions.append(QueryCondition(.createdBy, .equals(.string(user))))
        choose()
    }

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

    /// The values of which a record must have one; nil for another condition, or when there are too many.
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
        // The longest word is the rarest, more often than not.
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

    /// The order of a query that asks for none: that of a field of which it wants a range.
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

    /// The range of a field that the conditions leave; nil when none of them is about one.
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
    /// The keys between which all records are for which this holds, perhaps with others; nil for no such range.
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
