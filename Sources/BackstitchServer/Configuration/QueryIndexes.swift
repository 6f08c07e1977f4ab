/// The fields for filters and sorting in `records/query`, by record type.
///
/// ```swift
/// configuration.queryIndexes["Note"] = ["title", "pinned"]
/// ```
///
/// In the environment `development` any field may be used: an index is made when a query needs it. In `production` only
/// the fields named here may be used. So no caller can make the server maintain indexes without a use. System fields of
/// every record, such as the creation time, may always be used.
public struct QueryIndexes: Sendable, Hashable {
    /// Whether any field may be used in production too.
    public var areMadeInProduction = false
    private var fields: [String: Set<String>] = [:]

    /// Creates an empty set of fields.
    public init() {}

    /// The fields of a record type.
    public subscript(type: String) -> Set<String> {
        get { fields[type] ?? [] }
        set { fields[type] = newValue.isEmpty ? nil : newValue }
    }

    /// Adds fields from text of the form `Type:field,field`.
    ///
    /// - Returns: false for text of another form; nothing is added then.
    public mutating func add(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, RecordRules.fault(inRecordType: String(parts[0])) == nil else { return false }
        let names = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ RecordRules.fault(inFieldName: $0) == nil }) else { return false }
        self[String(parts[0])].formUnion(names)
        return true
    }
}
