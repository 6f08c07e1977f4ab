/// The part of a record that is about sharing: of a share its people and its address, of the root of a share the share,
/// of other records nothing.
///
/// A share is a record of type `cloudkit.share`. One of the name `cloudkit.zoneshare` shares its whole zone; any other
/// shares one record, its root, with all whose parent it is, and theirs.
public struct WireShare: Sendable, Hashable {
    /// The type of records that are shares.
    public static let recordType = "cloudkit.share"
    /// The name of the share of a whole zone.
    public static let zoneShareName = "cloudkit.zoneshare"

    /// Names the share in addresses that are given to others; made by the server.
    public var shortGUID: String?
    /// In a request that makes a share, the record that is to be shared; nil for a share of a whole zone.
    public var forRecord: RecordID?
    /// Extension: of a share of one record, that record; given by servers only.
    public var rootRecord: RecordID?
    /// Of a record that is the root of a share, the share; given by servers only.
    public var shareID: RecordID?
    /// The rights of users who have the address and were not invited.
    public var publicPermission: SharePermission?
    /// Everybody who takes part, the owner first. In a request nil leaves them as they are.
    public var participants: [WireParticipant]?
    /// The owner; given by servers only.
    public var owner: WireParticipant?
    /// The caller; given by servers only.
    public var currentUserParticipant: WireParticipant?

    /// A share without anything; set its parts afterwards.
    public init() {}

    /// Names a record that belongs to a share, or its share.
    public struct RecordID: Sendable, Hashable {
        /// Name of the record.
        public var recordName: String
        /// The version that the sender knows; nil to share whatever there is.
        public var recordChangeTag: String?
        /// The zone; nil for that of the record in which this stands.
        public var zoneID: ZoneID?

        /// A record by its name.
        public init(recordName: String, recordChangeTag: String? = nil, zoneID: ZoneID? = nil) {
            self.recordName = recordName
            self.recordChangeTag = recordChangeTag
            self.zoneID = zoneID
        }
    }
}

extension WireShare.RecordID: WireObject {
    static var blank: Self { Self(recordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName, else: "a record that is shared, or its share, needs a recordName")
        keys.optional("recordChangeTag", &recordChangeTag)
        keys.optional("zoneID", &zoneID)
    }
}

extension WireRecord {
    /// The part about sharing; nil for a record that has none.
    public var share: WireShare? {
        get { sharing?.share }
        set { sharing = newValue.map(SharingBox.init) }
    }

    /// The keys about sharing, after those that all records have.
    @inline(__always)
    mutating func codeShare(_ keys: inout some KeyCoder) {
        let known = sharing
        codePart("shortGUID", known, \.shortGUID, &keys)
        codePart("forRecord", known, \.forRecord, &keys)
        codePart("rootRecord", known, \.rootRecord, &keys)
        codePart("share", known, \.shareID, &keys)
        codePart("publicPermission", known, \.publicPermission, &keys)
        codePart("participants", known, \.participants, &keys)
        codePart("owner", known, \.owner, &keys)
        codePart("currentUserParticipant", known, \.currentUserParticipant, &keys)
    }

    /// A line of the table, for a record that may have no such part at all.
    @inline(__always)
    private mutating func codePart<Value: JSONValue>(
        _ name: StaticString, _ known: SharingBox?,
        _ path: any WritableKeyPath<WireShare, Value?> & Sendable, _ keys: inout some KeyCoder
    ) {
        keys.field(name, if: known != nil && known?.share[keyPath: path] != nil, else: nil) {
            known?.share[keyPath: path]?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return true }
            // One look at the table may meet several keys.
            var share = sharing?.share ?? WireShare()
            share[keyPath: path] = try Value.read(from: &reader)
            sharing = SharingBox(share)
            return true
        }
    }
}
