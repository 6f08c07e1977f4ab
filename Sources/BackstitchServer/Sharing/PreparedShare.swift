import Backstitch
import BackstitchSupport
import CloudWire

/// The part of an operation that is about a share, checked as far as that goes without the database. Out of line, since
/// few operations have one.
final class PreparedShare: Sendable {
    /// The address and the participants' names of what the operation may make.
    let newGUID: String
    let newIDs: [String]
    let publicPermission: SharePermission?
    /// The record that the share is for; nil for that of a whole zone, or where an operation does not say.
    let root: WireShare.RecordID?
    /// Everybody who is to take part, but the owner; nil to leave them as they are.
    let participants: [WireParticipant]?
    /// The caller, for a share that is made.
    let caller: DiscoveredUser

    /// - Throws: BAD_REQUEST for a share that makes no sense.
    init(_ record: WireRecord, caller: DiscoveredUser, _ random: any ServerRandom) throws(WireError) {
        let share = record.share ?? WireShare()
        root = share.forRecord
        if let root {
            guard record.recordName != WireShare.zoneShareName else {
                throw WireError(
                    .badRequest,
                    "a share of the name '\(WireShare.zoneShareName)' is that of its zone: leave out forRecord, or give "
                        + "the share of a record another name")
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
                .badRequest, "participant '\(label)': nobody is invited as PUBLIC_USER; set publicPermission")
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
                throw WireError(.badRequest, "'\(address.shown())' is no e-mail address")
            }
        } else {
            throw WireError(
                .badRequest, "a participant is invited by userRecordName or emailAddress in userIdentity.lookupInfo")
        }
    }
}

extension WireParticipant {
    /// A name for messages.
    fileprivate var label: String {
        let info = userIdentity.lookupInfo
        let name = participantID ?? userIdentity.userRecordName ?? info?.userRecordName ?? info?.emailAddress
        return (name ?? "").shown()
    }
}

extension StoredShare {
    /// A new share of its owner.
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

    /// The share as an operation makes it. Who is not among the participants that it names takes part no more; who came
    /// with the address takes part as long as everybody with it may. If the same user is invited by another entry, that
    /// entry counts.
    ///
    /// - Throws: BAD_REQUEST for a participant that the share does not have, or has twice.
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

    private func participant(
        _ wanted: WireParticipant, newID: String, _ known: ParticipantIndex
    ) throws(WireError) -> StoredParticipant {
        let identity = wanted.userIdentity
        var new = StoredParticipant(
            id: newID, user: identity.userRecordName ?? identity.lookupInfo?.userRecordName,
            emailAddress: identity.lookupInfo?.emailAddress.map(People.key), kind: wanted.type, status: .invited,
            permission: wanted.permission)
        if let id = wanted.participantID {
            guard let old = known.first(id: id) else {
                throw WireError(.badRequest, "the share has no participant '\(id.shown())'")
            }
            new = old
        } else if let old = known.first(sameAs: new) {
            new = old
        }
        guard new.kind != .owner else { throw WireError(.badRequest, "the owner is no guest of a share") }
        if wanted.type != .publicUser {
            // By naming part and rights the owner makes a guest who came with the address an invited one.
            new.kind = wanted.type
            new.permission = wanted.permission
        }
        return new
    }
}

/// Participants, found by what is known of a user.
private struct ParticipantIndex {
    private(set) var participants: [StoredParticipant] = []
    private var byID: [ByteText: Int] = [:]
    private var byUser: [ByteText: Int] = [:]
    /// By addresses, and the same for those of whom only the address is known.
    private var byAddress: [ByteText: Int] = [:], byAddressAlone: [ByteText: Int] = [:]

    init(_ participants: [StoredParticipant]) {
        for participant in participants { add(participant) }
    }

    mutating func add(_ participant: StoredParticipant) {
        let place = participants.count
        participants.append(participant)
        Self.note(place, participant.id, &byID)
        if let user = participant.user { Self.note(place, user, &byUser) }
        guard let address = participant.emailAddress.map(People.key) else { return }
        Self.note(place, address, &byAddress)
        if participant.user == nil { Self.note(place, address, &byAddressAlone) }
    }

    /// Puts a participant in the place of the one of the same name.
    mutating func replace(by participant: StoredParticipant) {
        if let place = byID[ByteText(participant.id)] { participants[place] = participant }
    }

    private static func note(_ place: Int, _ name: String, _ places: inout [ByteText: Int]) {
        places[ByteText(name)] = places[ByteText(name)] ?? place
    }

    func first(id: String) -> StoredParticipant? { byID[ByteText(id)].map { participants[$0] } }

    /// The first who is the same user, as far as is known: where both have record names, these tell.
    func first(sameAs participant: StoredParticipant) -> StoredParticipant? {
        let addresses = participant.user == nil ? byAddress : byAddressAlone
        let places = [
            byID[ByteText(participant.id)], participant.user.flatMap { byUser[ByteText($0)] },
            participant.emailAddress.flatMap { addresses[ByteText(People.key($0))] },
        ]
        return places.compactMap(\.self).min().map { participants[$0] }
    }
}

extension StoredParticipant {
    /// A name for messages.
    var label: String { user ?? emailAddress ?? id }
}
