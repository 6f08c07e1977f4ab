/// A record as it travels: its name, its fields, and what the server knows about it.
public struct WireRecord: Sendable, Hashable {
    /// Name of the record, unique in its zone; compared by its bytes. Empty in a `create` asks the server for a name.
    public var recordName: String
    /// The type of the record; absent in deletions.
    public var recordType: String?
    /// The server's version of the record, opaque. Needed to update, replace or delete.
    public var recordChangeTag: String?
    /// The fields by name; a name with a nil value is one to be cleared.
    public var fields: [String: WireValue?]
    /// True in the change feed and in answers about deletions.
    public var deleted: Bool

    /// The `fields` object as JSON, written in place of ``fields`` when there is one: spares the server a decoding.
    package var encodedFields: [UInt8]?
    /// The parts that few records have, and those that servers add; nil where it has none of them.
    var extras: RecordExtras?

    /// A record with the parts that a client sets.
    public init(
        recordName: String, recordType: String? = nil, recordChangeTag: String? = nil,
        fields: [String: WireValue?] = [:], zoneID: ZoneID? = nil, parent: WireReference? = nil, deleted: Bool = false
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.deleted = deleted
        if zoneID != nil { self.zoneID = zoneID }
        if parent != nil { self.parent = parent }
    }

    /// The value of a field; nil when the field is absent or cleared.
    public func value(_ field: String) -> WireValue? { fields[field] ?? nil }
}
