import BackstitchSupport
import CloudWire

/// A checked filter. It decides whether a record matches.
///
/// All knowledge about comparators is here. Indexes only select the records to examine.
struct QueryCondition: Sendable {
    /// The filter without its negation.
    enum Test: Sendable {
        case equals(WireValue)
        case less(WireValue, orEqual: Bool)
        case greater(WireValue, orEqual: Bool)
        case isIn([WireValue])
        case near(WireLocation, metres: Double)
        case allWords(Set<ByteText>)
        case anyWord(Set<ByteText>)
        case containsAll([WireValue])
        case containsAny([WireValue])
        case begins(String)
        case memberBegins(String)
    }

    let field: QueryField
    let test: Test
    var isNegated = false
    /// The values of the test as whole bytes of ``QueryKey``, for the comparison.
    private let operands: [[UInt8]]

    init(_ field: QueryField, _ test: Test, isNegated: Bool = false) {
        self.field = field
        self.test = test
        self.isNegated = isNegated
        operands =
            switch test {
            case .equals(let value), .less(let value, _), .greater(let value, _): [QueryKey.bytes(value, limit: nil)]
            case .isIn(let values), .containsAll(let values), .containsAny(let values):
                values.map { QueryKey.bytes($0, limit: nil) }
            default: []
            }
    }

    /// Whether a record matches the filter.
    func holds(_ record: StoredRecord, _ fields: [String: WireValue?]) -> Bool {
        var known = QueryParts()
        return holds(record, fields, &known)
    }

    /// The same, with values that other filters have already found in the record.
    func holds(_ record: StoredRecord, _ fields: [String: WireValue?], _ known: inout QueryParts) -> Bool {
        (field.value(record, fields).map { holds($0, &known) } ?? false) != isNegated
    }

    /// Whether a value passes the test, before the negation.
    private func holds(_ value: WireValue, _ known: inout QueryParts) -> Bool {
        switch test {
        case .equals: known.key(of: value, field) == operands[0]
        case .less(_, let orEqual):
            compare(known.key(of: value, field)) { $0.lexicographicallyPrecedes($1) || orEqual && $0 == $1 }
        case .greater(_, let orEqual):
            compare(known.key(of: value, field)) { $1.lexicographicallyPrecedes($0) || orEqual && $0 == $1 }
        case .isIn: operands.contains(known.key(of: value, field))
        case .near(let place, let metres):
            if case .location(let other) = value { QueryDistance.metres(place, other) <= metres } else { false }
        case .allWords(let words): known.words(of: value, field).map { words.isSubset(of: $0) } ?? false
        case .anyWord(let words): known.words(of: value, field).map { !words.isDisjoint(with: $0) } ?? false
        case .containsAll: known.elements(of: value, field)?.isSuperset(of: operands) ?? false
        case .containsAny: known.elements(of: value, field).map { !$0.isDisjoint(with: operands) } ?? false
        case .begins(let text): value.begins(text)
        case .memberBegins(let text): value.elements?.contains { $0.begins(text) } ?? false
        }
    }

    /// Compares the bytes of two values. Values of different kinds have no order, so none of them is less or greater.
    private func compare(_ bytes: [UInt8], _ isRight: ([UInt8], [UInt8]) -> Bool) -> Bool {
        bytes[0] == operands[0][0] && isRight(bytes, operands[0])
    }
}

extension WireValue {
    /// The text, or the record name of a reference; nil for other values.
    var text: String? {
        switch self {
        case .string(let text): text
        case .reference(let reference): reference.recordName
        default: nil
        }
    }

    /// Whether the value is a text or reference that begins with these bytes.
    fileprivate func begins(_ beginning: String) -> Bool { text?.utf8.starts(with: beginning.utf8) ?? false }

    /// The number of elements of a list; 0 for other values.
    var elementCount: Int {
        switch self {
        case .stringList(let values): values.count
        case .int64List(let values), .timestampList(let values): values.count
        case .doubleList(let values): values.count
        case .bytesList(let values): values.count
        case .referenceList(let values): values.count
        case .locationList(let values): values.count
        case .assetList(let values): values.count
        default: 0
        }
    }

    /// The elements of a list; nil for other values.
    var elements: [WireValue]? {
        switch self {
        case .stringList(let values): values.map(WireValue.string)
        case .int64List(let values): values.map(WireValue.int64)
        case .doubleList(let values): values.map(WireValue.double)
        case .timestampList(let values): values.map(WireValue.timestamp)
        case .bytesList(let values): values.map(WireValue.bytes)
        case .referenceList(let values): values.map(WireValue.reference)
        case .locationList(let values): values.map(WireValue.location)
        case .assetList(let values): values.map(WireValue.asset)
        case .unknownList: []
        default: nil
        }
    }
}
