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
    package var malformed: [Int: MalformedItem<String>] = [:]

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

extension RecordsModifyRequest: WireObject {
    static var blank: Self { Self(operations: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.optional("atomic", &atomic)
        keys.optional("desiredKeys", &desiredKeys)
        keys.numbersAsStrings(&numbersAsStrings)
        keys.flag("getCurrentSyncToken", &getCurrentSyncToken)
        keys.optional("idempotencyKey", &idempotencyKey)
        keys.opaque("syncToken", &syncToken)
        keys.optional("deviceID", &deviceID)
        keys.items(
            "operations", &operations, &malformed, named: [["record", "recordName"]],
            else: "records/modify needs operations")
    }
}
