/// One field that the answers to a query are sorted by.
package struct QuerySort: Sendable, Hashable {
    /// The name of the field; nil if ``systemFieldName`` names it.
    package var fieldName: String?
    /// The name of a field that every record has, for instance `createdTimestamp`.
    package var systemFieldName: String?
    /// Whether small values are first. Records without the field are before them.
    package var ascending: Bool
    /// For a field of locations: the order is by distance from this place.
    package var relativeLocation: WireLocation?

    /// Creates an order by a field of the app.
    package init(_ fieldName: String, ascending: Bool = true, relativeLocation: WireLocation? = nil) {
        self.fieldName = fieldName
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }

    /// Creates an order by a field that every record has.
    package init(systemFieldName: String, ascending: Bool = true) {
        self.systemFieldName = systemFieldName
        self.ascending = ascending
    }
}

extension QuerySort: WireObject {
    static var blank: Self {
        var blank = Self("")
        blank.fieldName = nil
        return blank
    }

    mutating func code(_ keys: inout some KeyCoder) {
        QueryFilter.codeField(&fieldName, &systemFieldName, &keys)
        keys.value("ascending", &ascending)
        keys.optional("relativeLocation", &relativeLocation)
    }
}
