/// The part of a record about sharing. A share has its participants and its address here, the root of a share has the
/// share, and other records have nothing.
///
/// A share is a record of type `cloudkit.share`. A share with the name `cloudkit.zoneshare` shares its whole zone. Any
/// other shares one record, its root, with all records below it by their parents.
package struct WireShare: Sendable, Hashable {
    /// The type of records that are shares.
    package static let recordType = "cloudkit.share"
    /// The name of the share of a whole zone.
    package static let zoneShareName = "cloudkit.zoneshare"

    /// Identifies the share in addresses for others. The server makes it.
    package var shortGUID: String?
    /// In a request that makes a share: the record to share; nil for a share of a whole zone.
    package var forRecord: RecordID?
    /// Extension: the shared record of a share; only servers set it.
    package var rootRecord: RecordID?
    /// The share of a record that is the root of one; only servers set it.
    package var shareID: RecordID?
    /// The rights of users who have the address, but were not invited.
    package var publicPermission: SharePermission?
    /// All participants, the owner first. In a request nil leaves them unchanged.
    package var participants: [WireParticipant]?
    /// The owner of the share; only servers set it.
    package var owner: WireParticipant?
    /// The caller as a participant; only servers set it.
    package var currentUserParticipant: WireParticipant?

    /// Creates an empty share, whose parts are set afterwards.
    package init() {}

    /// Identifies a record that belongs to a share, or its share.
    package struct RecordID: Sendable, Hashable {
        /// The name of the record.
        package var recordName: String
        /// The sender's version of the record; nil to share any version.
        package var recordChangeTag: String?
        /// The zone; nil for the zone of the record around this identifier.
        package var zoneID: ZoneID?

        package init(recordName: String, recordChangeTag: String? = nil, zoneID: ZoneID? = nil) {
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
    /// The part about sharing; nil for a record without one.
    package var share: WireShare? {
        get { sharing?.share }
        set { sharing = newValue.map(SharingBox.init) }
    }

    /// Lists the keys about sharing, after the keys of all records.
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

    /// A line of the table for a record that may have no part about sharing.
    @inline(__always)
    private mutating func codePart<Value: JSONValue>(
        _ name: StaticString, _ known: SharingBox?,
        _ path: any WritableKeyPath<WireShare, Value?> & Sendable, _ keys: inout some KeyCoder
    ) {
        keys.field(name, if: known != nil && known?.share[keyPath: path] != nil, else: nil) {
            known?.share[keyPath: path]?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return true }
            // One run of the table may read several keys.
            var share = sharing?.share ?? WireShare()
            share[keyPath: path] = try Value.read(from: &reader)
            sharing = SharingBox(share)
            return true
        }
    }
}
