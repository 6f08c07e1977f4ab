import Backstitch
import CloudWire
import Foundation

// A share on the wire: the record "cloudkit.zoneshare" of its zone, or a record with another name for a single record.

extension Share {
    /// The field of the record with the title.
    private static let titleField = "cloudkit.title"

    /// Reads a share from its record.
    ///
    /// - Parameter root: The shared object, if it is here.
    /// - Returns: Nil for a record that is no share, or has no address yet.
    init?(_ record: WireRecord, of zone: SyncZone, root: ObjectID?, server: URL) {
        guard let share = record.share, let guid = share.shortGUID else { return nil }
        let title: String? = if case .string(let text)? = record.value(Self.titleField) { text } else { nil }
        self.init(
            zone: zone, root: root, title: title, publicPermission: Permission(share.publicPermission ?? .none),
            participants: (share.participants ?? []).map(Participant.init),
            url: ShareAddress(guid).url(on: server, title: title),
            currentUser: share.currentUserParticipant.map(Participant.init), recordName: record.recordName,
            changeTag: record.recordChangeTag)
    }

    /// The record that stores this share on the server.
    var record: WireRecord {
        var share = WireShare()
        share.publicPermission = SharePermission(publicPermission)
        share.participants = participants.map(WireParticipant.init)
        return Self.record(share, named: recordName, title: title, changeTag: changeTag)
    }

    /// The record of a new share. CloudKit's documentation has its root saved with `createShortGUID` before. The
    /// server's answer to the share has the address with or without this step.
    ///
    /// - Parameter root: The name of the shared record, with the name for the share itself; nil for the whole zone.
    static func new(
        of root: (record: String, share: String)? = nil, title: String?, publicPermission: Permission,
        participants: [Participant]
    ) -> WireRecord {
        var share = WireShare()
        share.forRecord = root.map { WireShare.RecordID(recordName: $0.record) }
        share.publicPermission = SharePermission(publicPermission)
        share.participants = participants.map(WireParticipant.init)
        return record(share, named: root?.share ?? WireShare.zoneShareName, title: title, changeTag: nil)
    }

    private static func record(
        _ share: WireShare, named name: String, title: String?, changeTag: String?
    ) -> WireRecord {
        var record = WireRecord(recordName: name, recordType: WireShare.recordType)
        record.fields[titleField] = .some(title.map(WireValue.string))
        record.recordChangeTag = changeTag
        record.share = share
        return record
    }
}

extension Share.Permission {
    init(_ permission: SharePermission) {
        self =
            switch permission {
            case .readWrite: .readWrite
            case .readOnly: .readOnly
            case .none, .unknown: .none
            }
    }
}

extension SharePermission {
    fileprivate init(_ permission: Share.Permission) {
        self =
            switch permission {
            case .readWrite: .readWrite
            case .readOnly: .readOnly
            case .none: .none
            }
    }
}

extension Share.Participant {
    fileprivate init(_ participant: WireParticipant) {
        let identity = participant.userIdentity
        let names = identity.nameComponents
        var components: PersonNameComponents?
        if names != UserNameComponents() {
            var name = PersonNameComponents()
            (name.namePrefix, name.givenName, name.middleName) = (names.namePrefix, names.givenName, names.middleName)
            (name.familyName, name.nameSuffix, name.nickname) = (names.familyName, names.nameSuffix, names.nickname)
            components = name
        }
        self.init(
            id: participant.participantID, role: Role(participant.type),
            permission: Share.Permission(participant.permission),
            acceptanceStatus: AcceptanceStatus(participant.acceptanceStatus), userRecordName: identity.userRecordName,
            emailAddress: identity.lookupInfo?.emailAddress, nameComponents: components)
        publicKey = SharePublicKey(wireText: participant.publicKey)
    }
}

extension WireParticipant {
    fileprivate init(_ participant: Share.Participant) {
        var identity = Identity(userRecordName: participant.userRecordName)
        if let address = participant.emailAddress {
            identity.lookupInfo = UserLookupInfo(emailAddress: address)
        } else if let user = participant.userRecordName {
            identity.lookupInfo = UserLookupInfo(userRecordName: user)
        }
        self.init(
            identity, type: Kind(participant.role), permission: SharePermission(participant.permission),
            participantID: participant.id)
    }
}

extension WireParticipant.Kind {
    fileprivate init(_ role: Share.Participant.Role) {
        self =
            switch role {
            case .owner: .owner
            case .administrator: .administrator
            case .privateUser: .user
            case .publicUser: .publicUser
            case .unknown: .unknown
            }
    }
}

extension Share.Participant.Role {
    init(_ kind: WireParticipant.Kind) {
        self =
            switch kind {
            case .owner: .owner
            case .administrator: .administrator
            case .user: .privateUser
            case .publicUser: .publicUser
            case .unknown: .unknown
            }
    }
}

extension Share.Participant.AcceptanceStatus {
    fileprivate init(_ status: WireParticipant.Status) {
        self =
            switch status {
            case .invited: .pending
            case .accepted: .accepted
            case .removed: .removed
            case .unknown: .unknown
            }
    }
}
