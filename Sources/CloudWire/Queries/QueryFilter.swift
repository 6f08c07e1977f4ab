/// One condition of a query about one field.
package struct QueryFilter: Sendable, Hashable {
    /// The comparison of a field with the value. A negated comparator selects exactly the records of the type that the
    /// plain one does not select. So it also selects records without such a field.
    package enum Comparator: String, Sendable, Hashable, CaseIterable {
        /// The two values are equal.
        case equals = "EQUALS"
        /// The two values are different.
        case notEquals = "NOT_EQUALS"
        /// The field is less than the value.
        case lessThan = "LESS_THAN"
        /// The field is less than the value, or equal.
        case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
        /// The field is greater than the value.
        case greaterThan = "GREATER_THAN"
        /// The field is greater than the value, or equal.
        case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
        /// The place is within ``QueryFilter/distance`` of the value.
        case near = "NEAR"
        /// The text has all words of the value.
        case containsAllTokens = "CONTAINS_ALL_TOKENS"
        /// The text has at least one word of the value.
        case containsAnyTokens = "CONTAINS_ANY_TOKENS"
        /// The field is an element of the value, a list.
        case isIn = "IN"
        /// The field is not an element of the value.
        case isNotIn = "NOT_IN"
        /// The field is a list with the value as an element.
        case listContains = "LIST_CONTAINS"
        /// The field is not a list with the value as an element.
        case notListContains = "NOT_LIST_CONTAINS"
        /// The field is not a list with any element of the value.
        case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
        /// The field is a list with all elements of the value.
        case listContainsAll = "LIST_CONTAINS_ALL"
        /// The field is not a list with all elements of the value.
        case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
        /// The text begins with the value.
        case beginsWith = "BEGINS_WITH"
        /// The field is not a text that begins with the value.
        case notBeginsWith = "NOT_BEGINS_WITH"
        /// An element of the list begins with the value.
        case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
        /// No element of the list begins with the value.
        case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    }

    /// The comparison of field and value.
    package var comparator: Comparator
    /// The name of the field; nil if ``systemFieldName`` names it.
    package var fieldName: String?
    /// The name of a field that every record has, for instance `createdTimestamp`.
    package var systemFieldName: String?
    /// The value to compare the field with.
    package var fieldValue: WireValue
    /// The distance in metres, for ``Comparator/near``.
    package var distance: Double?

    /// Creates a condition about a field of the app.
    package init(_ fieldName: String, _ comparator: Comparator, _ fieldValue: WireValue, distance: Double? = nil) {
        self.fieldName = fieldName
        self.comparator = comparator
        self.fieldValue = fieldValue
        self.distance = distance
    }

    /// Creates a condition about a field that every record has.
    package init(systemFieldName: String, _ comparator: Comparator, _ fieldValue: WireValue) {
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

    /// The two lines for the name of a field. An empty name counts as none.
    @inline(__always)
    static func codeField(_ name: inout String?, _ systemName: inout String?, _ keys: inout some KeyCoder) {
        keys.name("fieldName", &name)
        keys.name("systemFieldName", &systemName)
    }
}
