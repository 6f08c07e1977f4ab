import Backstitch
import CloudWire
import Foundation

/// A predicate as filters of `records/query`. Only comparisons with the same meaning on the server are translated; all
/// others are refused. Otherwise a store could follow other objects than requested, and appear to work.
struct QueryFilters {
    private let entity: SyncedEntity
    private(set) var filters: [QueryFilter] = []

    /// The largest number of filters in a query. One more is kept free for the modification time.
    static let maximumCount = 15
    /// The largest number of values in a filter's list.
    static let maximumValues = 250

    /// Translates a predicate into filters.
    ///
    /// - Parameter predicate: Resolved for the entity.
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with the part that the server cannot evaluate.
    init(_ entity: SyncedEntity, _ predicate: FetchPredicate) throws {
        self.entity = entity
        try add(predicate)
        guard filters.count <= Self.maximumCount else {
            throw fault("it has \(filters.count) comparisons; the server takes \(Self.maximumCount)", predicate)
        }
    }

    private mutating func add(_ predicate: FetchPredicate) throws {
        switch predicate {
        case .constant(true): break
        case .constant(false): throw fault("no object matches it", predicate)
        case .and(let parts): for part in parts { try add(part) }
        case .or: throw fault("the server knows no OR; follow a request for each part, or use IN", predicate)
        case .not(.comparison(let comparison)): try add(comparison, isNegated: true)
        case .not: throw fault("the server negates single comparisons only", predicate)
        case .comparison(let comparison): try add(comparison, isNegated: false)
        }
    }

    private mutating func add(_ comparison: FetchComparison, isNegated: Bool) throws {
        let whole = FetchPredicate.comparison(comparison)
        guard let plan = comparison.plan, let path = plan.left.path, path.root == .subject, path.steps.count == 1,
            plan.quantifier == nil, let column = path.steps.first?.property, column.relationship?.isToMany != true
        else { throw fault("the server compares an attribute or a to-one relationship with a constant", whole) }
        guard plan.options.isEmpty else { throw fault("the server folds no case and no marks of texts", whole) }
        try checkTravels(column, whole)
        let isNegated = isNegated != plan.isNegated
        let name = entity.wireName(of: column.name)
        func append(_ comparator: QueryFilter.Comparator, _ opposite: QueryFilter.Comparator?, _ value: WireValue)
            throws
        {
            guard let chosen = isNegated ? opposite : comparator else {
                throw fault("the server does not negate this comparison; write the opposite one", whole)
            }
            filters.append(QueryFilter(name, chosen, value))
        }
        func add(_ test: PlannedTest) throws {
            switch test {
            case .equal(.constant(let value)): try append(.equals, .notEquals, wire(value, column, whole))
            case .ordered(let order, .constant(let value)):
                try append(order.comparator, nil, ordered(value, column, whole))
            case .both(let first, let second) where !isNegated:
                try add(first)
                try add(second)
            case .member(let set) where !set.hasNull && !set.values.isEmpty:
                guard set.values.count <= Self.maximumValues else {
                    throw fault("IN has \(set.values.count) values; the server takes \(Self.maximumValues)", whole)
                }
                let values = try set.values.map { try wire($0, column, whole) }
                try append(.isIn, .isNotIn, try list(values, whole))
            case .text(.beginsWith, .constant(.string(let text))):
                try append(.beginsWith, .notBeginsWith, .string(text))
            case .absent, .present: throw fault("the server cannot search for missing values", whole)
            default: throw fault("the server has no such comparison", whole)
            }
        }
        try add(plan.test)
    }

    /// Checks that records have this value in the same form as here.
    private func checkTravels(_ column: ResolvedProperty, _ whole: FetchPredicate) throws {
        guard column.isSynced, column.attribute?.syncDirection ?? .both == .both else {
            throw fault("\(column.name) does not sync in both directions", whole)
        }
        if entity.isEncrypted(column) { throw fault("\(column.name) is encrypted", whole) }
        if column.attribute?.allowsExternalStorage == true {
            throw fault("the bytes of \(column.name) are stored outside the record", whole)
        }
    }

    private func wire(_ value: Value, _ column: ResolvedProperty, _ whole: FetchPredicate) throws -> WireValue {
        switch (value, column.attribute?.type) {
        case (.int(let number), .integer16?), (.int(let number), .integer32?), (.int(let number), .integer64?):
            return .int64(number)
        case (.bool(let flag), .boolean?): return .int64(flag ? 1 : 0)
        case (.double(let number), .double?), (.double(let number), .float?):
            guard number.isFinite else { throw fault("\(number) cannot be sent", whole) }
            return .double(number)
        case (.date(let date), .date?): return .timestamp(date.milliseconds)
        case (.string(let text), .string?), (.string(let text), .uri?): return .string(text)
        case (.uuid(let id), .uuid?): return .string(id.uuidString)
        case (.object(let id), nil):
            // The name of such a record is known on this device only.
            guard !RecordName.mayBeForeign(id.key) else {
                throw fault("the record of \(id) has a name of its own", whole)
            }
            return .reference(WireReference(recordName: id.key.uuidString))
        default: throw fault("the server compares values of \(column.name) differently", whole)
        }
    }

    private func ordered(_ value: Value, _ column: ResolvedProperty, _ whole: FetchPredicate) throws -> WireValue {
        let value = try wire(value, column, whole)
        if case .reference = value { throw fault("objects have no order", whole) }
        return value
    }

    private func list(_ values: [WireValue], _ whole: FetchPredicate) throws -> WireValue {
        switch values[0] {
        case .int64: .int64List(values.compactMap { if case .int64(let value) = $0 { value } else { nil } })
        case .double: .doubleList(values.compactMap { if case .double(let value) = $0 { value } else { nil } })
        case .timestamp: .timestampList(values.compactMap { if case .timestamp(let value) = $0 { value } else { nil } })
        case .string: .stringList(values.compactMap { if case .string(let value) = $0 { value } else { nil } })
        case .reference: .referenceList(values.compactMap { if case .reference(let value) = $0 { value } else { nil } })
        default: throw fault("the server has no list of such values", whole)
        }
    }

    private func fault(_ reason: String, _ predicate: FetchPredicate) -> BackstitchError {
        BackstitchError(
            .invalidPredicate,
            "\(entity.entity.name) cannot be followed where \(predicate): \(reason). Follow a wider request, and "
                + "fetch the objects that you need from it"
        )
    }
}

extension PlannedOrder {
    fileprivate var comparator: QueryFilter.Comparator {
        switch self {
        case .less: .lessThan
        case .lessOrEqual: .lessThanOrEquals
        case .greater: .greaterThan
        case .greaterOrEqual: .greaterThanOrEquals
        }
    }
}
