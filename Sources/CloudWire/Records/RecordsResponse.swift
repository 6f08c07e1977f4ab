/// Body of the answers of `records/modify` and `records/lookup`: one result for each item asked for, in order.
public struct RecordsResponse: Sendable, Hashable {
    /// The results, in the order of the request.
    public var records: [RecordResult]
    /// The zone's token after the request, when the request asked for it.
    public var syncToken: String?

    /// An answer.
    public init(records: [RecordResult], syncToken: String? = nil) {
        self.records = records
        self.syncToken = syncToken
    }
}

extension RecordsResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("records", records)
        writer.optionalString("syncToken", syncToken)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordsResponse {
        var response = RecordsResponse(records: [])
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "records": response.records = try reader.readArray(of: RecordResult.self)
            case "syncToken": response.syncToken = try reader.readStringOrNull()
            default: try reader.skip()
            }
        }
        return response
    }
}
