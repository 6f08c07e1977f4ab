import CloudWire

/// A share as one user sees it.
///
/// Addresses to which invitations went are for the owner and administrators, and for the invited user: others learn
/// record names and the names of persons.
struct ShownShare: Sendable {
    private let share: StoredShare
    private let viewer: String

    init(_ share: StoredShare, to viewer: String) {
        self.share = share
        self.viewer = viewer
    }

    /// Whether a record is a share that can be shown.
    static func isShare(_ record: StoredRecord) -> Bool {
        !record.deleted && record.type == WireShare.recordType
    }

    /// Whether a share is shown with a record: it is one, or the root of one.
    static func isShown(by record: StoredRecord) -> Bool { isShare(record) || record.flags.contains(.root) }

    /// Whether a record is this share.
    func isOf(_ record: StoredRecord) -> Bool {
        Self.isShare(record) && record.name.utf8.elementsEqual(share.record.utf8)
    }

    /// Whether a record is the one that this share is for.
    func isFor(_ record: StoredRecord) -> Bool {
        record.flags.contains(.root) && share.root?.utf8.elementsEqual(record.name.utf8) ?? false
    }

    /// The share as the record tells of it that is shared.
    func reference(in zone: ZoneID) -> WireShare {
        var wire = WireShare()
        wire.shareID = WireShare.RecordID(recordName: share.record, zoneID: zone)
        return wire
    }

    /// The part of the record that is about sharing.
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

    /// A participant with the rights that hold now.
    func participant(_ participant: StoredParticipant) -> WireParticipant {
        var wire = WireParticipant(
            identity(participant), type: participant.kind, permission: share.permission(of: participant),
            acceptanceStatus: participant.status, participantID: participant.id)
        wire.publicKey = participant.publicKey
        return wire
    }

    /// A participant's names, with the address where the viewer may know it.
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
