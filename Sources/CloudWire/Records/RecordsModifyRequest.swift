/// Body of `records/modify`.
public struct RecordsModifyRequest: Sendable, Hashable {
    /// The zone of the records that name none; nil means the default zone.
    public var zoneID: ZoneID?
    /// All or nothing; absent means true in a custom zone.
    public var atomic: Bool?
    /// Fields to give back; nil for all, empty for none.
    public var desiredKeys: [String]?
    /// Numbers are answered as strings.
    public var numbersAsStrings: Bool
    /// Ask for the zone's token after this request.
    public var getCurrentSyncToken: Bool
    /// The operations, in order; at most one operation a record.
    public var operations: [RecordOperation]
    /// Extension: a request with the same key and bytes is applied once and answered alike. At most 128 bytes.
    public var idempotencyKey: String?
    /// Extension: up to where the sender has read the zone that ``zoneID`` names. Where that is another life of the
    /// zone, the whole request is refused (``WireError/expiredTokenReason``); making a record whose deletion the sender
    /// cannot have read is a conflict.
    public var syncToken: String?
    /// Extension: names the sender in the stamps of the records that it makes. 1 to 64 bytes.
    public var deviceID: String?

    /// Operations that could not be read, by their place in the request. ``operations`` lacks them.
    package var malformed: [Int: MalformedOperation] = [:]

    /// A request with the parts that most need.
    public init(
        zoneID: ZoneID? = nil, operations: [RecordOperation], atomic: Bool? = nil, desiredKeys: [String]? = nil,
        numbersAsStrings: Bool = false, getCurrentSyncToken: Bool = false, idempotencyKey: String? = nil,
        syncToken: String? = nil, deviceID: String? = nil
    ) {
        self.zoneID = zoneID
        self.operations = operations
        self.atomic = atomic
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
        self.getCurrentSyncToken = getCurrentSyncToken
        self.idempotencyKey = idempotencyKey
        self.syncToken = syncToken
        self.deviceID = deviceID
    }
}

extension RecordsModifyRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional("zoneID", zoneID)
        writer.optionalBool("atomic", atomic)
        writer.optionalStrings("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.optionalBool("numbersAsStrings", true) }
        if getCurrentSyncToken { writer.optionalBool("getCurrentSyncToken", true) }
        writer.optionalString("idempotencyKey", idempotencyKey)
        writer.optionalString("syncToken", syncToken)
        writer.optionalString("deviceID", deviceID)
        writer.array("operations", operations)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordsModifyRequest {
        var request = RecordsModifyRequest(operations: [])
        var hasOperations = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": request.zoneID = try reader.readOrNull(ZoneID.self)
            case "atomic": request.atomic = try reader.readBoolOrNull()
            case "desiredKeys": request.desiredKeys = try reader.readStringsOrNull()
            case "numbersAsStrings", "numberAsStrings":
                request.numbersAsStrings = try reader.readBoolOrNull() ?? false
            case "getCurrentSyncToken": request.getCurrentSyncToken = try reader.readBoolOrNull() ?? false
            case "idempotencyKey": request.idempotencyKey = try reader.readStringOrNull()
            case "syncToken": request.syncToken = try reader.readStringOrNull()
            case "deviceID": request.deviceID = try reader.readStringOrNull()
            case "operations":
                try request.readOperations(from: &reader)
                hasOperations = true
            default: try reader.skip()
            }
        }
        guard hasOperations else { throw reader.wrongValue("records/modify needs operations") }
        return request
    }

    private mutating func readOperations(from reader: inout JSONReader) throws(WireCodingError) {
        try reader.enterArray()
        var index = 0
        while try reader.nextElement() {
            switch try MalformedOperation.readOperation(from: &reader) {
            case .success(let operation): operations.append(operation)
            case .failure(let fault): malformed[index] = fault
            }
            index += 1
        }
    }
}
