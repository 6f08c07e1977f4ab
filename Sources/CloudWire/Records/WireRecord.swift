/// A record in the form of a message: its name, its fields, and the server's data about it.
package struct WireRecord: Sendable, Hashable {
    /// The name of the record, unique in its zone, compared by its bytes. An empty one in a `create` asks the server
    /// for a name.
    package var recordName: String
    /// The type of the record; absent in deletions.
    package var recordType: String?
    /// The server's version of the record, opaque to clients. It is needed to update, replace or delete.
    package var recordChangeTag: String?
    /// The fields by name. A nil value clears the field.
    package var fields: [String: WireValue?]
    /// True for deletions in the change feed and in answers.
    package var deleted: Bool

    /// The `fields` object as JSON. If present, it is written in place of ``fields``, which saves the server a
    /// decoding.
    package var encodedFields: [UInt8]?
    /// The parts that few records have, and those that servers add; nil for a record without any.
    var extras: RecordExtras?

    /// Creates a record with the parts that a client sets.
    package init(
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
    package func value(_ field: String) -> WireValue? { fields[field] ?? nil }
}
