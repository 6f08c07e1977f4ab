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
    /// The creation of the record: time, user and device; given by servers only.
    public var created: WireStamp?
    /// The last change of the record: time, user and device; given by servers only.
    public var modified: WireStamp?
    /// True in the change feed and in answers about deletions.
    public var deleted: Bool
    /// The zone of the record; nil in a request means the request's zone.
    public var zoneID: ZoneID?
    /// The parent record in a sharing hierarchy.
    public var parent: WireReference?
    /// Whether an update takes the parent away, an extension; one that does not name a parent leaves it as it is.
    public var clearsParent = false

    /// Names of fields that came without a type tag, so that the value's type is a guess.
    package var inferredFields: Set<String> = []
    /// Names of fields whose values came encrypted (`isEncrypted`, or a type tag that says so).
    package var encryptedFields: Set<String> = []
    /// The `fields` object as JSON, written in place of ``fields`` when there is one: spares the server a decoding.
    package var encodedFields: [UInt8]?
    /// The part about sharing, which almost no record has; see ``share``.
    package var sharing: SharingBox?

    /// A record with the parts that a client sets.
    public init(
        recordName: String, recordType: String? = nil, recordChangeTag: String? = nil,
        fields: [String: WireValue?] = [:], zoneID: ZoneID? = nil, parent: WireReference? = nil, deleted: Bool = false
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.zoneID = zoneID
        self.parent = parent
        self.deleted = deleted
    }

    /// The value of a field; nil when the field is absent or cleared.
    public func value(_ field: String) -> WireValue? { fields[field] ?? nil }
}
