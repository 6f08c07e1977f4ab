import Foundation

extension StoreDictionaryRequest {
    /// Computes the results for the objects found by ``fetch``, in order and within the limits.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` if a sum is beyond the range of its type; errors of reading the
    ///   objects.
    /// - Complexity: O(objects), and the sorting of the results.
    public func results(from subjects: some Sequence<any PredicateSubject>) throws -> [[Value]] {
        var rows = try isGrouped ? grouped(subjects) : subjects.map { try values(of: $0) }
        if isDistinct {
            var seen: Set<[Value]> = []
            rows = rows.filter { seen.insert($0).inserted }
        }
        var found = rows.enumerated().map { ResultSubject(values: $1, position: $0) }
        if let having { found = try found.filter { try having.evaluate($0) } }
        let sorted = try order.isEmpty ? found : order.sorted(found)
        return sorted.dropFirst(offset).prefix(limit ?? .max).map(\.values)
    }

    /// ``sortDescriptors``, followed by an order by values for rows without any other order.
    package var order: [FetchSortDescriptor] {
        guard isGrouped || isDistinct else { return sortDescriptors }
        return sortDescriptors
            + results.properties.compactMap { property in
                guard let kind = property.attribute.map({ PlannedKind($0) }), kind.isOrdered || kind == .boolean else {
                    return nil
                }
                var descriptor = FetchSortDescriptor(property.name)
                descriptor.path = PlannedPath(
                    root: .subject, rootEntity: results,
                    steps: [PlannedStep(entity: results, property: property, destination: nil)], kind: kind)
                return descriptor
            }
    }

    private func values(of subject: any PredicateSubject) throws -> [Value] {
        try columns.map { try $0.path.map { try PredicateEvaluator.value(of: $0, from: subject) } ?? .null }
    }

    private func grouped(_ subjects: some Sequence<any PredicateSubject>) throws -> [[Value]] {
        var order: [[Value]] = []
        var groups: [[Value]: [AggregateState]] = [:]
        if groupBy.isEmpty {
            order = [[]]
            groups[[]] = columns.map(AggregateState.init)
        }
        for subject in subjects {
            let key = try groupBy.map { try PredicateEvaluator.value(of: $0, from: subject) }
            if groups[key] == nil {
                order.append(key)
                groups[key] = columns.map(AggregateState.init)
            }
            let values = try values(of: subject)
            for index in columns.indices { try groups[key]?[index].add(values[index]) }
        }
        return try order.map { try (groups[$0] ?? []).map { try $0.result() } }
    }
}

/// A row of results as a subject of predicates and orders.
private struct ResultSubject: PredicateSubject {
    let values: [Value]
    let position: Int

    var objectID: ObjectID { ObjectID(entityName: "", key: ObjectKey(high: 0, low: UInt64(position))) }

    func predicateValue(_ property: ResolvedProperty) throws -> Value {
        if case .object(let id) = values[property.slot] { return .uuid(id.key.uuid) }
        return values[property.slot]
    }

    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] { [] }
}

/// The state of an aggregate while values are added.
private struct AggregateState {
    private let column: StoreDictionaryRequest.Column
    private var count = 0
    private var value = Value.null
    private var distinct: Set<Value> = []
    private var doubles = DoubleSum()
    private var decimals = ExactDecimalSum()

    init(_ column: StoreDictionaryRequest.Column) { self.column = column }

    mutating func add(_ new: Value) throws {
        guard let aggregate = column.aggregate else {
            value = new
            return
        }
        if new.isNull, column.path != nil { return }
        count += 1
        switch aggregate {
        case .count: break
        case .countDistinct: distinct.insert(new)
        case .min: if value.isNull || ValueOrder.compare(new, value) ?? 0 < 0 { value = new }
        case .max: if value.isNull || ValueOrder.compare(new, value) ?? 0 > 0 { value = new }
        case .sum, .average: value = try sum(new)
        }
    }

    private mutating func sum(_ new: Value) throws -> Value {
        switch (new, value) {
        case (.double(let number), _): doubles.add(number)
        case (.decimal(let number), _): decimals.add(number)
        case (.int(let number), .int(let sum)) where column.aggregate == .average:
            return .double(Double(sum) + Double(number))
        case (.int(let number), .double(let sum)): return .double(sum + Double(number))
        case (_, .null): return new
        default:
            guard let sum = BatchExpression.Operation.add.apply(value, new) else { throw outOfRange }
            return sum
        }
        return new
    }

    private var outOfRange: BackstitchError {
        BackstitchError(.invalidValue, "the sum \(column.name) is out of range", key: column.name)
    }

    func result() throws -> Value {
        switch column.aggregate {
        case .count: return .int(Int64(count))
        case .countDistinct: return .int(Int64(distinct.count))
        case .sum, .average: return try total
        case .min, .max, nil: return value
        }
    }

    private var total: Value {
        get throws {
            let isMean = column.aggregate == .average
            switch (value, decimals.outcome) {
            case (.decimal, .outOfRange): throw outOfRange
            case (.decimal, .sum(let sum, let count)): return .decimal(isMean ? DecimalMean.of(sum, count) : sum)
            case (.int(let sum), _): return isMean ? .double(Double(sum) / Double(count)) : value
            case (.double(let sum), _) where column.path?.kind == .integer: return .double(sum / Double(count))
            case (.double, _): return (isMean ? doubles.mean : doubles.sum).map(Value.double) ?? .null
            default: return value
            }
        }
    }
}
