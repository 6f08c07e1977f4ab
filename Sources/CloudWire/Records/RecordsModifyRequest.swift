/// Body of `records/modify`: makes, changes and deletes records.
package struct RecordsModifyRequest: Sendable, Hashable {
    /// The zone of records without a zone of their own; nil means the default zone.
    package var zoneID: ZoneID?
    /// Whether to apply all operations or none; absent means true in a custom zone.
    package var atomic: Bool?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether the answer writes numbers as strings.
    package var numbersAsStrings: Bool
    /// Whether the answer must have the zone's token after this request.
    package var getCurrentSyncToken: Bool
    /// The operations, in order; at most one operation for each record.
    package var operations: [RecordOperation]
    /// Extension: a request with the same key and bytes is applied once, and gets the same answer again. At most 128
    /// bytes.
    package var idempotencyKey: String?
    /// Extension: the end of the sender's last read of the zone in ``zoneID``. If the token belongs to another life of
    /// the zone, the whole request is refused (``WireError/expiredTokenReason``). To make a record is a conflict if the
    /// sender cannot have read an earlier deletion of it.
    package var syncToken: String?
    /// Extension: the sender's name in the stamps of the records that it makes. 1 to 64 bytes.
    package var deviceID: String?
    /// Extension: whether the operations on all zones are applied together or not at all. A move of records from one
    /// zone to another is such a request.
    package var atomicZones: Bool

    /// Operations that could not be read, by their position in the request. ``operations`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(
        zoneID: ZoneID? = nil, operations: [RecordOperation], atomic: Bool? = nil, desiredKeys: [String]? = nil,
        numbersAsStrings: Bool = false, getCurrentSyncToken: Bool = false, idempotencyKey: String? = nil,
        syncToken: String? = nil, deviceID: String? = nil, atomicZones: Bool = false
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
        self.atomicZones = atomicZones
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
        keys.flag("atomicZones", &atomicZones)
        keys.items(
            "operations", &operations, &malformed, named: [["record", "recordName"]],
            else: "records/modify needs operations")
    }
}
