import CloudWire

/// A share in the view of one user.
///
/// Only the owner, the administrators and the invited user see the address of an invitation. Others see record names
/// and the names of persons.
struct ShownShare: Sendable {
    private let share: StoredShare
    private let viewer: String

    init(_ share: StoredShare, to viewer: String) {
        self.share = share
        self.viewer = viewer
    }

    /// Whether a record is the live own record of a share.
    static func isShare(_ record: StoredRecord) -> Bool {
        !record.deleted && record.type == WireShare.recordType
    }

    /// Whether an answer with this record also has a share: the record is a share, or the root of one.
    static func isShown(by record: StoredRecord) -> Bool { isShare(record) || record.flags.contains(.root) }

    /// Whether a record is this share's own record.
    func isOf(_ record: StoredRecord) -> Bool {
        Self.isShare(record) && record.name.utf8.elementsEqual(share.record.utf8)
    }

    /// Whether a record is this share's root.
    func isFor(_ record: StoredRecord) -> Bool {
        record.flags.contains(.root) && share.root?.utf8.elementsEqual(record.name.utf8) ?? false
    }

    /// The short form of the share, for its root.
    func reference(in zone: ZoneID) -> WireShare {
        var wire = WireShare()
        wire.shareID = WireShare.RecordID(recordName: share.record, zoneID: zone)
        return wire
    }

    /// The full form of the share, for its own record.
    var wire: WireShare {
        var wire = WireShare()
        wire.rootRecord = share.root.map { WireShare.RecordID(recordName: $0) }
        wire.shortGUID = share.shortGUID
        wire.publicPermission = share.publicPermission
        wire.participants = share.participants.map(participant)
        wire.owner = share.owner.map(participant)
        wire.currentUserParticipant = share.participant(of: viewer).map(participant)
        return wire
    }

    /// A participant with its present rights.
    func participant(_ participant: StoredParticipant) -> WireParticipant {
        var wire = WireParticipant(
            identity(participant), type: participant.kind, permission: share.permission(of: participant),
            acceptanceStatus: participant.status, participantID: participant.id)
        wire.publicKey = participant.publicKey
        return wire
    }

    /// The identity of a participant. It has the address only if the viewer may know it.
    func identity(_ participant: StoredParticipant) -> WireParticipant.Identity {
        let me = share.participant(of: viewer)
        let mayKnow = me?.kind == .owner || me?.kind == .administrator || me?.id == participant.id
        var info: UserLookupInfo?
        if mayKnow, let address = participant.emailAddress {
            info = UserLookupInfo(emailAddress: address)
        } else if let user = participant.user {
            info = UserLookupInfo(userRecordName: user)
        }
        return WireParticipant.Identity(
            userRecordName: participant.user, nameComponents: participant.names, lookupInfo: info)
    }
}
