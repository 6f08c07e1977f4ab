/// The fields by which `records/query` may filter and sort, by the type of the record.
///
/// ```swift
/// configuration.queryIndexes["Note"] = ["title", "pinned"]
/// ```
///
/// In the environment `development` any field may be asked for: indexes are made when a query needs them. In
/// `production` only those named here may, so that nobody makes the server keep up indexes that no program needs.
/// Fields that every record has, such as the time of its creation, may always be asked for.
public struct QueryIndexes: Sendable, Hashable {
    /// Whether any field may be asked for in production too.
    public var areMadeInProduction = false
    private var fields: [String: Set<String>] = [:]

    /// No fields.
    public init() {}

    /// The fields of a record type.
    public subscript(type: String) -> Set<String> {
        get { fields[type] ?? [] }
        set { fields[type] = newValue.isEmpty ? nil : newValue }
    }

    /// Adds fields that are written `Type:field,field`.
    ///
    /// - Returns: false, and nothing is added, for text of another form.
    public mutating func add(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, RecordRules.fault(inRecordType: String(parts[0])) == nil else { return false }
        let names = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ RecordRules.fault(inFieldName: $0) == nil }) else { return false }
        self[String(parts[0])].formUnion(names)
        return true
    }
}
