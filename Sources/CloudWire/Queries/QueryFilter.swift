/// One condition of a query about one field.
public struct QueryFilter: Sendable, Hashable {
    /// How a filter compares a field with its value. The negated ones hold for exactly the records of the type for
    /// which the others do not, so also for those that have no such field.
    public enum Comparator: String, Sendable, Hashable, CaseIterable {
        /// The values are equal.
        case equals = "EQUALS"
        /// The values differ.
        case notEquals = "NOT_EQUALS"
        /// The field is less.
        case lessThan = "LESS_THAN"
        /// The field is less or equal.
        case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
        /// The field is greater.
        case greaterThan = "GREATER_THAN"
        /// The field is greater or equal.
        case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
        /// The place is within ``QueryFilter/distance`` of the value.
        case near = "NEAR"
        /// The text holds all words of the value.
        case containsAllTokens = "CONTAINS_ALL_TOKENS"
        /// The text holds a word of the value.
        case containsAnyTokens = "CONTAINS_ANY_TOKENS"
        /// The field is an element of the value, a list.
        case isIn = "IN"
        /// The field is no element of the value.
        case isNotIn = "NOT_IN"
        /// The field is a list that has the value.
        case listContains = "LIST_CONTAINS"
        /// The field is no list that has the value.
        case notListContains = "NOT_LIST_CONTAINS"
        /// The field is no list that has an element of the value.
        case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
        /// The field is a list that has all elements of the value.
        case listContainsAll = "LIST_CONTAINS_ALL"
        /// The field is no list that has all elements of the value.
        case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
        /// The text begins with the value.
        case beginsWith = "BEGINS_WITH"
        /// The field is no text that begins with the value.
        case notBeginsWith = "NOT_BEGINS_WITH"
        /// An element of the list begins with the value.
        case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
        /// No element of the list begins with the value.
        case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    }

    /// How the field is compared.
    public var comparator: Comparator
    /// The field; nil where ``systemFieldName`` names it.
    public var fieldName: String?
    /// A field that every record has, such as `createdTimestamp`.
    public var systemFieldName: String?
    /// The value that the field is compared with.
    public var fieldValue: WireValue
    /// Metres, for ``Comparator/near``.
    public var distance: Double?

    /// A condition about a field of the app's own.
    public init(_ fieldName: String, _ comparator: Comparator, _ fieldValue: WireValue, distance: Double? = nil) {
        self.fieldName = fieldName
        self.comparator = comparator
        self.fieldValue = fieldValue
        self.distance = distance
    }

    /// A condition about a field that every record has.
    public init(systemFieldName: String, _ comparator: Comparator, _ fieldValue: WireValue) {
        self.systemFieldName = systemFieldName
        self.comparator = comparator
        self.fieldValue = fieldValue
    }
}

extension QueryFilter.Comparator: JSONWord {
    static var noun: String { "comparator" }
}

extension QueryFilter: WireObject {
    static var blank: Self {
        var blank = Self("", .equals, .unknownList)
        blank.fieldName = nil
        return blank
    }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("comparator", &comparator, else: "a filter needs a comparator")
        Self.codeField(&fieldName, &systemFieldName, &keys)
        keys.field("fieldValue", if: true, else: "a filter needs a fieldValue with a value") {
            fieldValue.write(to: &$0, field: fieldName ?? systemFieldName ?? "")
        } read: { (reader) throws(WireCodingError) in
            guard try !reader.readNull(), let value = try WireField.read(from: &reader).value else { return false }
            fieldValue = value
            return true
        }
        keys.optional("distance", &distance)
    }

    /// The two lines that name a field; an empty name is none.
    @inline(__always)
    static func codeField(_ name: inout String?, _ systemName: inout String?, _ keys: inout some KeyCoder) {
        keys.name("fieldName", &name)
        keys.name("systemFieldName", &systemName)
    }
}
