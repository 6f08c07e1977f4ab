import BackstitchSupport
import CloudWire

extension QueryCondition {
    /// Checks a filter of a request.
    ///
    /// - Throws: BAD_REQUEST, naming the field, if the comparator does not take the filter's value.
    init(_ filter: QueryFilter) throws(WireError) {
        let field = try QueryField(filter.fieldName, system: filter.systemFieldName)
        let operand = FilterOperand(field: field, filter: filter)
        switch filter.comparator {
        case .equals: self.init(field, .equals(try operand.single()))
        case .notEquals: self.init(field, .equals(try operand.single()), isNegated: true)
        case .lessThan: self.init(field, .less(try operand.ordered(), orEqual: false))
        case .lessThanOrEquals: self.init(field, .less(try operand.ordered(), orEqual: true))
        case .greaterThan: self.init(field, .greater(try operand.ordered(), orEqual: false))
        case .greaterThanOrEquals: self.init(field, .greater(try operand.ordered(), orEqual: true))
        case .isIn: self.init(field, .isIn(try operand.list()))
        case .isNotIn: self.init(field, .isIn(try operand.list()), isNegated: true)
        case .near:
            let (place, metres) = try operand.distance()
            self.init(field, .near(place, metres: metres))
        case .containsAllTokens: self.init(field, .allWords(try operand.words()))
        case .containsAnyTokens: self.init(field, .anyWord(try operand.words()))
        case .listContains: self.init(field, .containsAll([try operand.single()]))
        case .notListContains: self.init(field, .containsAll([try operand.single()]), isNegated: true)
        case .notListContainsAny: self.init(field, .containsAny(try operand.list()), isNegated: true)
        case .listContainsAll: self.init(field, .containsAll(try operand.list()))
        case .notListContainsAll: self.init(field, .containsAll(try operand.list()), isNegated: true)
        case .beginsWith: self.init(field, .begins(try operand.text()))
        case .notBeginsWith: self.init(field, .begins(try operand.text()), isNegated: true)
        case .listMemberBeginsWith: self.init(field, .memberBegins(try operand.text()))
        case .notListMemberBeginsWith: self.init(field, .memberBegins(try operand.text()), isNegated: true)
        }
    }
}

/// The value of a filter, as each comparator takes it.
private struct FilterOperand {
    let field: QueryField
    let filter: QueryFilter

    private var value: WireValue { filter.fieldValue }

    private func fault(_ what: String) -> WireError {
        WireError(.badRequest, "field '\(field.name)': \(filter.comparator.rawValue) takes \(what)")
    }

    func single() throws(WireError) -> WireValue {
        guard value.isComparable else {
            throw fault("a single value other than a file, not \(value.type.rawValue)")
        }
        return value
    }

    func ordered() throws(WireError) -> WireValue {
        if case .location = value { throw fault("a number, a text, a time or bytes, not LOCATION") }
        return try single()
    }

    func list() throws(WireError) -> [WireValue] {
        guard let elements = value.elements, elements.allSatisfy(\.isComparable) else {
            throw fault("a list, not \(value.type.rawValue)")
        }
        guard elements.count <= QueryLimits.values else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): field '\(field.name)': \(elements.count) values in a filter, "
                    + "at most \(QueryLimits.values)")
        }
        return elements
    }

    func text() throws(WireError) -> String {
        guard case .string(let text) = value else { throw fault("a text, not \(value.type.rawValue)") }
        return text
    }

    func words() throws(WireError) -> Set<ByteText> {
        let words = QueryWords.of(try text(), upTo: QueryLimits.words + 1)
        guard (1...QueryLimits.words).contains(words.count) else {
            throw fault("a text of 1 to \(QueryLimits.words) words\(words.isEmpty ? ", not one of 0" : "")")
        }
        return words
    }

    func distance() throws(WireError) -> (place: WireLocation, metres: Double) {
        guard case .location(let place) = value else { throw fault("a LOCATION, not \(value.type.rawValue)") }
        guard let metres = filter.distance, metres >= 0 else { throw fault("a distance in metres") }
        if let reason = QueryDistance.fault(in: place) { throw fault("a place on earth: \(reason)") }
        return (place, metres)
    }
}

extension WireValue {
    /// Whether filters accept it as a single value.
    fileprivate var isComparable: Bool {
        switch self {
        case .string, .int64, .double, .timestamp, .bytes, .reference, .location: true
        default: false
        }
    }
}
