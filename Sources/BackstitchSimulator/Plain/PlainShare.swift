/// The participants of a share, and its address.
struct PlainShare {
    /// The record type of shares.
    static let recordType = "cloudkit.share"
    /// The name of the share of a whole zone.
    static let name = "cloudkit.zoneshare"

    /// A participant of a share, or an invited person.
    struct Participant {
        var id: String
        /// nil while only an address is known.
        var user: String?
        var address: String?
        var type: String
        var status: String
        var permission: String

        /// Whether the participant is a user. The first part of a user's address is the user's name.
        func isUser(_ name: String) -> Bool {
            if let user { return user == name }
            return address?.split(separator: "@").first.map(String.init) == name
        }

        var identity: PlainJSON {
            let lookUp = PlainJSON.made([
                "emailAddress": address.map(PlainJSON.string),
                "userRecordName": address == nil ? user.map(PlainJSON.string) : nil,
            ])
            return .made([
                "userRecordName": user.map(PlainJSON.string), "nameComponents": .object([:]), "lookupInfo": lookUp,
            ])
        }

        var json: PlainJSON {
            [
                "participantId": .string(id), "userIdentity": identity, "type": .string(type),
                "acceptanceStatus": .string(status), "permission": .string(permission),
            ].json
        }
    }

    var guid: String
    /// The name of the shared record; nil for the whole zone. The record of the share does not show it.
    var root: String?
    var publicPermission = "NONE"
    /// The first participant is the owner.
    var participants: [Participant]

    init(guid: String, root: String?, owner: String) {
        (self.guid, self.root) = (guid, root)
        participants = [
            Participant(id: "P1", user: owner, type: "OWNER", status: "ACCEPTED", permission: "READ_WRITE")
        ]
    }

    /// The participants with the right to read, except the owner.
    var guests: Set<String> {
        Set(
            participants.dropFirst().compactMap(\.user).filter { user in
                part(of: user).map { $0.status == "ACCEPTED" && $0.permission != "NONE" } ?? false
            })
    }

    /// The part that a user has, or would have after accepting. It is nil for a user without an invitation, unless the
    /// share is open to all.
    func part(of user: String) -> Participant? {
        if var participant = participants.first(where: { $0.isUser(user) }) {
            if participant.type == "PUBLIC_USER" { participant.permission = publicPermission }
            return participant
        }
        guard publicPermission != "NONE" else { return nil }
        return Participant(
            id: "", user: user, type: "PUBLIC_USER", status: "UNKNOWN", permission: publicPermission)
    }

    /// Changes a share as a request asks. Participants keep the acceptance status of their invitations.
    ///
    /// - Parameter number: Gives numbers to new participants.
    mutating func change(as asked: PlainJSON, _ number: () -> Int) throws(PlainError) {
        if asked["publicPermission"] != .null {
            guard let permission = Self.permission(asked["publicPermission"]) else {
                throw .badRequest("no such publicPermission")
            }
            publicPermission = permission
        }
        if asked["participants"] != .null {
            var people = [participants[0]]
            for asked in asked["participants"].elements where asked["type"].text != "OWNER" {
                people.append(try participant(asked, number))
            }
            participants = people
        }
        if publicPermission == "NONE" { participants.removeAll { $0.type == "PUBLIC_USER" } }
    }

    private func participant(_ asked: PlainJSON, _ number: () -> Int) throws(PlainError) -> Participant {
        let lookUp = asked["userIdentity"]["lookupInfo"]
        let user = asked["userIdentity"]["userRecordName"].text ?? lookUp["userRecordName"].text
        let (address, id) = (lookUp["emailAddress"].text, asked["participantId"].text)
        guard let permission = Self.permission(asked["permission"]) else { throw .badRequest("no such permission") }
        guard
            var known = participants.first(where: {
                id != nil && $0.id == id || user != nil && $0.user == user || address != nil && $0.address == address
            })
        else {
            guard id == nil, user != nil || address != nil, ["USER", "ADMINISTRATOR"].contains(asked["type"].text)
            else {
                throw .badRequest("nobody is such a participant")
            }
            return Participant(
                id: "P\(number())", user: user, address: address, type: asked["type"].text ?? "", status: "INVITED",
                permission: permission)
        }
        known.permission = permission
        if let type = asked["type"].text, known.type != "PUBLIC_USER" { known.type = type }
        return known
    }

    private static func permission(_ asked: PlainJSON) -> String? {
        asked.text.flatMap { ["NONE", "READ_ONLY", "READ_WRITE"].contains($0) ? $0 : nil }
    }

    /// A record with the extra keys of a share.
    func shown(in record: PlainJSON, to user: String) -> PlainJSON {
        var record = record
        record["shortGUID"] = .string(guid)
        record["publicPermission"] = .string(publicPermission)
        record["participants"] = .array(participants.map { (part(of: $0.user ?? "") ?? $0).json })
        record["owner"] = participants[0].json
        if let part = part(of: user), !part.id.isEmpty { record["currentUserParticipant"] = part.json }
        return record
    }
}
