/// The reading that the bodies of all modifying requests share.
extension JSONReader {
    /// Reads the type of an operation; nil for null.
    mutating func readOperationType<Kind: RawRepresentable<String>>() throws(WireCodingError) -> Kind? {
        guard let text = try readStringOrNull() else { return nil }
        guard let known = Kind(rawValue: text) else { throw wrongValue("unknown operationType '\(text)'") }
        return known
    }

    /// The error for an operation that does not say what it is.
    var lacksOperationType: WireCodingError { wrongValue("an operation needs an operationType") }

    /// A body of which nothing but `operations` counts.
    mutating func readOperations<Operation: WireDecodable>(
        for endpoint: WireEndpoint
    ) throws(WireCodingError) -> [Operation] {
        var operations: [Operation]?
        try enterObject()
        while let key = try nextKey() {
            switch key {
            case "operations": operations = try readArrayOrNull(of: Operation.self)
            default: try skip()
            }
        }
        guard let operations else { throw wrongValue("\(endpoint.rawValue) needs operations") }
        return operations
    }
}
