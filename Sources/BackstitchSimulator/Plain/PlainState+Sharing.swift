// Zones that others take part in. Each is shared as a whole.
extension PlainState {
    static func isShare(_ record: PlainJSON) -> Bool {
        record["recordName"].text == PlainShare.name || record["recordType"].text == PlainShare.recordType
    }

    /// The users who take part in what a zone's owner shares.
    static func guests(of zone: Zone) -> Set<String> { zone.records[PlainShare.name]?.share?.guests ?? [] }

    /// - Throws: ACCESS_DENIED for a guest who may only read.
    func requireRight(to zone: Zone) throws(PlainError) {
        guard zone.records[PlainShare.name]?.share?.part(of: caller)?.permission == "READ_WRITE" else {
            throw PlainError(403, "ACCESS_DENIED", "the share does not give the right to change anything")
        }
    }

    /// A share as a request makes or changes it.
    mutating func sharing(_ asked: PlainJSON, _ known: PlainShare?) throws(PlainError) -> PlainShare {
        guard database != .public else { throw .badRequest("nothing of the public database is shared") }
        guard asked["recordName"].text == PlainShare.name, asked["forRecord"] == .null,
            asked["recordType"].text ?? PlainShare.recordType == PlainShare.recordType
        else { throw .badRequest("this server shares whole zones") }
        var share = known ?? PlainShare(guid: "008PLAIN\(uniqueNumber())", owner: owner)
        try share.change(as: asked) { uniqueNumber() }
        return share
    }

    /// Does an operation of a guest on the share of somebody else's zone: its deletion is the end of the guest's part.
    mutating func applyToOthersShare(
        _ operation: PlainJSON, in zone: inout Zone, at time: Int64
    ) throws -> Record? {
        let known = zone.records[PlainShare.name]?.share
        if operation["operationType"].text?.lowercased().hasSuffix("delete") == true {
            change(shareOf: &zone, at: time) { $0.participants.removeAll { $0.user == caller } }
            return nil
        }
        guard known?.part(of: caller)?.type == "ADMINISTRATOR" else {
            throw PlainError(403, "ACCESS_DENIED", "the share is its owner's")
        }
        return try apply(operation, to: &zone, at: time)
    }

    /// The caller takes part in a zone no more.
    mutating func leave(_ place: Place, at time: Int64) {
        guard var zone = holdings[place.owner]?[place.zone] else { return }
        let guests = Self.guests(of: zone)
        change(shareOf: &zone, at: time) { $0.participants.removeAll { $0.user == caller } }
        holdings[place.owner]?[place.zone] = zone
        notify(place, guests)
    }

    private func change(shareOf zone: inout Zone, at time: Int64, _ change: (inout PlainShare) -> Void) {
        guard var record = zone.records[PlainShare.name], var share = record.share else { return }
        change(&share)
        zone.head += 1
        (record.share, record.sequence, record.modified) = (share, zone.head, time)
        (record.tag, record.modifier) = (String(zone.head, radix: 36), caller)
        zone.records[PlainShare.name] = record
    }

    // MARK: Addresses

    /// The zone whose share has a name.
    private func place(of guid: PlainJSON) throws(PlainError) -> Place {
        for (owner, zones) in holdings {
            for (name, zone) in zones where zone.records[PlainShare.name]?.share?.guid == guid["value"].text {
                return Place(owner: owner, zone: name)
            }
        }
        throw PlainError(404, "NOT_FOUND", "there is no such share")
    }

    mutating func resolve(_ body: PlainJSON) -> [PlainJSON] {
        body["shortGUIDs"].elements.map { guid in
            do throws(PlainError) { return try resolved(guid) } catch { return error.item(["shortGUID": guid]) }
        }
    }

    /// The caller takes part in shares: in all of them or, where one is none or was accepted before, in none.
    mutating func accept(_ body: PlainJSON, at time: Int64) throws(PlainError) -> [PlainJSON] {
        let guids = body["shortGUIDs"].elements
        for guid in guids {
            let part = try resolved(guid)
            guard part["participantStatus"].text != "ACCEPTED" else {
                throw .badRequest("the share was accepted before")
            }
        }
        return try guids.map { (guid) throws(PlainError) in
            let place = try place(of: guid)
            guard var zone = holdings[place.owner]?[place.zone] else { throw .zoneNotFound }
            change(shareOf: &zone, at: time) { share in
                guard var part = share.part(of: caller) else { return }
                (part.user, part.status) = (caller, "ACCEPTED")
                if let known = share.participants.firstIndex(where: { $0.isUser(caller) }) {
                    share.participants[known] = part
                } else {
                    part.id = "P-\(caller)"
                    share.participants.append(part)
                }
            }
            holdings[place.owner]?[place.zone] = zone
            joined[caller, default: []].insert(place)
            notify(place, Self.guests(of: zone))
            return try resolved(guid)
        }
    }

    private mutating func resolved(_ guid: PlainJSON) throws(PlainError) -> PlainJSON {
        let place = try place(of: guid)
        guard let record = holdings[place.owner]?[place.zone]?.records[PlainShare.name], let share = record.share,
            let part = share.part(of: caller)
        else { throw PlainError(403, "ACCESS_DENIED", "the user was not invited") }
        owner = place.owner
        let shown = render(record, place.zone)
        return [
            "shortGUID": guid, "containerIdentifier": .string("iCloud.plain"), "environment": .string("development"),
            "databaseScope": .string(caller == place.owner ? "PRIVATE" : "SHARED"), "zoneID": shown["zoneID"],
            "share": shown, "ownerIdentity": share.participants[0].identity, "participantType": .string(part.type),
            "participantStatus": .string(part.status), "participantPermission": .string(part.permission),
        ].json
    }
}
