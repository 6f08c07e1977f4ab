/// One field by which the answers to a query are ordered.
public struct QuerySort: Sendable, Hashable {
    /// The field; nil where ``systemFieldName`` names it.
    public var fieldName: String?
    /// A field that every record has, such as `createdTimestamp`.
    public var systemFieldName: String?
    /// Whether small values come first. Records without the field come before them.
    public var ascending: Bool
    /// The order is that of distances from here, for a field that holds places.
    public var relativeLocation: WireLocation?

    /// An order by a field of the app's own.
    public init(_ fieldName: String, ascending: Bool = true, relativeLocation: WireLocation? = nil) {
        self.fieldName = fieldName
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }

    /// An order by a field that every record has.
    public init(systemFieldName: String, ascending: Bool = true) {
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
