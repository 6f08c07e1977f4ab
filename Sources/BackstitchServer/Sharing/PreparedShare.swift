import Backstitch
import BackstitchSupport
import CloudWire

/// The sharing part of an operation, after all checks that need no database. It is a class to keep operations small:
/// few have one.
final class PreparedShare: Sendable {
    /// The address of a new share, and the names of new participants. They are made in advance.
    let newGUID: String
    let newIDs: [String]
    let publicPermission: SharePermission?
    /// The root of the share; nil for a share of a whole zone, or if the operation does not say.
    let root: WireShare.RecordID?
    /// All wanted participants except the owner; nil to leave them unchanged.
    let participants: [WireParticipant]?
    /// The caller, who becomes the owner of a new share.
    let caller: DiscoveredUser

    /// Checks the sharing part of a record.
    ///
    /// - Throws: BAD_REQUEST for a share that makes no sense.
    init(_ record: WireRecord, caller: DiscoveredUser, _ random: any ServerRandom) throws(WireError) {
        let share = record.share ?? WireShare()
        root = share.forRecord
        if let root {
            guard record.recordName != WireShare.zoneShareName else {
                throw WireError(
                    .badRequest,
                    "a share of the name '\(WireShare.zoneShareName)' is the share of its zone: leave out "
                        + "forRecord, or give the share of a record another name")
            }
            if let fault = RecordRules.fault(inRecordName: root.recordName) {
                throw WireError(.badRequest, "forRecord: \(fault)")
            }
        }
        if record.parent != nil { throw WireError(.badRequest, "a share has no parent") }
        if record.fields.values.contains(where: { $0?.references.isEmpty == false }) {
            throw WireError(.badRequest, "a share has no references")
        }
        publicPermission = share.publicPermission
        if publicPermission == .unknown { throw WireError(.badRequest, "publicPermission must not be UNKNOWN") }
        participants = share.participants?.filter { $0.type != .owner }
        let count = participants?.count ?? 0
        guard count < StoredShare.mostParticipants else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a share has at most \(StoredShare.mostParticipants) participants")
        }
        for participant in participants ?? [] { try Self.check(participant) }
        self.caller = caller
        newGUID = random.bytes(16).hexadecimal
        newIDs = (0...count).map { _ in random.uuid() }
    }

    /// Checks the type, the permission and the identity of a participant.
    ///
    /// - Throws: BAD_REQUEST, naming the participant.
    private static func check(_ participant: WireParticipant) throws(WireError) {
        let label = participant.label
        switch participant.type {
        case .administrator, .user, .publicUser: break
        case .owner, .unknown:
            throw WireError(
                .badRequest,
                "participant '\(label)': the type \(participant.type.rawValue) is not ADMINISTRATOR, USER or PUBLIC_USER"
            )
        }
        guard participant.permission != .unknown else {
            throw WireError(.badRequest, "participant '\(label)': the permission must not be UNKNOWN")
        }
        if participant.participantID != nil { return }
        guard participant.type != .publicUser else {
            throw WireError(
                .badRequest,
                "participant '\(label)': a participant cannot be invited as PUBLIC_USER; set publicPermission")
        }
        let identity = participant.userIdentity
        if let name = identity.userRecordName ?? identity.lookupInfo?.userRecordName {
            guard RecordRules.isValidUser(name) else {
                throw WireError(
                    .badRequest,
                    "participant '\(label)': a userRecordName has 1 to 255 bytes and no control characters")
            }
        } else if let address = identity.lookupInfo?.emailAddress {
            guard ZoneServerConfiguration.isAddress(address) else {
                throw WireError(.badRequest, "'\(address.shown())' is not an e-mail address")
            }
        } else {
            throw WireError(
                .badRequest, "a participant is invited by userRecordName or emailAddress in userIdentity.lookupInfo")
        }
    }
}

extension WireParticipant {
    /// A name of the participant for error texts.
    fileprivate var label: String {
        let info = userIdentity.lookupInfo
        let name = participantID ?? userIdentity.userRecordName ?? info?.userRecordName ?? info?.emailAddress
        return (name ?? "").shown()
    }
}

extension StoredShare {
    /// Makes a new share, with its owner as the only participant.
    init(_ prepared: PreparedShare, record name: String) {
        record = name
        root = prepared.root?.recordName
        shortGUID = prepared.newGUID
        publicPermission = .none
        participants = [
            StoredParticipant(
                id: prepared.newIDs[0], user: prepared.caller.userRecordName,
                emailAddress: prepared.caller.lookupInfo.emailAddress, kind: .owner, status: .accepted,
                permission: .readWrite, names: prepared.caller.nameComponents)
        ]
    }

    /// The share after an operation.
    ///
    /// A participant missing from the operation's list is removed. One who came with the address stays as long as the
    /// public permission lasts. If the same user is invited by another entry, that entry counts.
    ///
    /// - Throws: BAD_REQUEST for a participant unknown to the share, or named twice.
    func changed(by prepared: PreparedShare) throws(WireError) -> StoredShare {
        var share = self
        share.publicPermission = prepared.publicPermission ?? publicPermission
        if let asked = prepared.participants {
            let known = ParticipantIndex(participants)
            var named = ParticipantIndex(participants.filter { $0.kind == .owner })
            for (index, wanted) in asked.enumerated() {
                let participant = try participant(wanted, newID: prepared.newIDs[index + 1], known)
                guard let other = named.first(sameAs: participant) else {
                    named.add(participant)
                    continue
                }
                guard other.id == participant.id, (other.kind == .publicUser) != (participant.kind == .publicUser)
                else {
                    throw WireError(.badRequest, "participant '\(participant.label)' is named twice")
                }
                if other.kind == .publicUser { named.replace(by: participant) }
            }
            share.participants = named.participants
        }
        if share.publicPermission == .none { share.participants.removeAll { $0.kind == .publicUser } }
        return share
    }

    /// The present or new participant for an entry of the operation.
    private func participant(
        _ wanted: WireParticipant, newID: String, _ known: ParticipantIndex
    ) throws(WireError) -> StoredParticipant {
        let identity = wanted.userIdentity
        var new = StoredParticipant(
            id: newID, user: identity.userRecordName ?? identity.lookupInfo?.userRecordName,
            emailAddress: identity.lookupInfo?.emailAddress.map(FindableUsers.key), kind: wanted.type, status: .invited,
            permission: wanted.permission)
        if let id = wanted.participantID {
            guard let old = known.first(id: id) else {
                throw WireError(.badRequest, "the share has no participant '\(id.shown())'")
            }
            new = old
        } else if let old = known.first(sameAs: new) {
            new = old
        }
        guard new.kind != .owner else { throw WireError(.badRequest, "the owner cannot be a guest of a share") }
        if wanted.type != .publicUser {
            // A type and permission from the owner turn a public user into an invited participant.
            new.kind = wanted.type
            new.permission = wanted.permission
        }
        return new
    }
}

/// An index of participants by id, user and address.
private struct ParticipantIndex {
    private(set) var participants: [StoredParticipant] = []
    private var byID: [ByteText: Int] = [:]
    private var byUser: [ByteText: Int] = [:]
    /// By address, and the same for participants known only by their address.
    private var byAddress: [ByteText: Int] = [:], byAddressAlone: [ByteText: Int] = [:]

    init(_ participants: [StoredParticipant]) {
        for participant in participants { add(participant) }
    }

    /// Adds a participant. The first one with a name keeps its place in the index.
    mutating func add(_ participant: StoredParticipant) {
        let place = participants.count
        participants.append(participant)
        Self.note(place, participant.id, &byID)
        if let user = participant.user { Self.note(place, user, &byUser) }
        guard let address = participant.emailAddress.map(FindableUsers.key) else { return }
        Self.note(place, address, &byAddress)
        if participant.user == nil { Self.note(place, address, &byAddressAlone) }
    }

    /// Replaces the participant with the same id.
    mutating func replace(by participant: StoredParticipant) {
        if let place = byID[ByteText(participant.id)] { participants[place] = participant }
    }

    /// Notes a place under a name, if the name is free.
    private static func note(_ place: Int, _ name: String, _ places: inout [ByteText: Int]) {
        places[ByteText(name)] = places[ByteText(name)] ?? place
    }

    /// The participant with this id.
    func first(id: String) -> StoredParticipant? { byID[ByteText(id)].map { participants[$0] } }

    /// The first participant who is the same user, as far as is known. If both have record names, only these are
    /// compared.
    func first(sameAs participant: StoredParticipant) -> StoredParticipant? {
        let addresses = participant.user == nil ? byAddress : byAddressAlone
        let places = [
            byID[ByteText(participant.id)], participant.user.flatMap { byUser[ByteText($0)] },
            participant.emailAddress.flatMap { addresses[ByteText(FindableUsers.key($0))] },
        ]
        return places.compactMap(\.self).min().map { participants[$0] }
    }
}

extension StoredParticipant {
    /// A name of the participant for error texts.
    var label: String { user ?? emailAddress ?? id }
}
