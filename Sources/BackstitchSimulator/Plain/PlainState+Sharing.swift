// Shared zones: either the whole zone is shared, or single records of it are.
extension PlainState {
    static func isShare(_ record: PlainJSON, in zone: Zone) -> Bool {
        let name = record["recordName"].text ?? ""
        return name == PlainShare.name || record["recordType"].text == PlainShare.recordType
            || zone.records[name]?.share != nil
    }

    /// The names of the records that the caller sees in a zone; nil for all.
    func sight(of zone: Zone) -> Set<String>? { database == .shared ? zone.sight(of: caller) : nil }

    private static func denied(_ reason: String) -> PlainError { PlainError(403, "ACCESS_DENIED", reason) }

    /// - Throws: ACCESS_DENIED for a guest who may only read.
    func requireRight(to zone: Zone) throws(PlainError) {
        let shares = zone.records.values.compactMap(\.share).filter { $0.guests.contains(caller) }
        guard shares.contains(where: { $0.part(of: caller)?.permission == "READ_WRITE" }) else {
            throw Self.denied("the share does not give the right to change anything")
        }
    }

    /// - Throws: ACCESS_DENIED if a guest has no right to write, or makes a record without a parent. The same if a
    ///   guest deletes or moves a root, or moves a record out of a share. NOT_FOUND for a record outside the guest's
    ///   sight.
    func requireGuestsRight(to record: Record?, _ operation: PlainJSON, in zone: Zone) throws(PlainError) {
        guard let sight = zone.sight(of: caller) else { return try requireRight(to: zone) }
        let parent = operation["record"]["parent"]["recordName"].text
        let kind = operation["operationType"].text ?? ""
        guard let record else {
            guard kind == "create" || kind == "forceUpdate" || kind == "forceReplace" else { return }
            guard let parent else { throw Self.denied("the record would hang on nothing") }
            return try requireRight(toParent: parent, sight, in: zone)
        }
        guard sight.contains(record.name) else {
            if kind == "create" { throw Self.denied("another record has the name") }
            throw PlainError(404, "NOT_FOUND", "Record not found")
        }
        guard zone.mayWrite(caller, record.name) else { throw Self.denied("the user may only read the record") }
        let isRoot = record.shareName != nil
        if Self.isDeletion(operation) {
            guard !isRoot else { throw Self.denied("its owner alone deletes a record that is shared") }
        } else if let parent, parent != record.parent {
            guard !isRoot else { throw Self.denied("its owner alone moves a record that is shared") }
            try requireRight(toParent: parent, sight, in: zone)
            let shares = zone.shares(above: parent).map(\.name)
            guard zone.shares(above: record.name).allSatisfy({ shares.contains($0.name) }) else {
                throw Self.denied("the record would leave what is shared")
            }
        }
    }

    private func requireRight(toParent parent: String, _ sight: Set<String>, in zone: Zone) throws(PlainError) {
        // A missing parent is not a question of rights.
        guard zone.living(parent) == nil || sight.contains(parent) && zone.mayWrite(caller, parent) else {
            throw Self.denied("the record would hang on one that the user may not change")
        }
    }

    /// Makes or changes a share as a request asks.
    mutating func sharing(_ asked: PlainJSON, _ known: PlainShare?, in zone: Zone) throws(PlainError) -> PlainShare {
        guard database != .public else { throw .badRequest("nothing of the public database is shared") }
        guard asked["recordType"].text ?? PlainShare.recordType == PlainShare.recordType else {
            throw .badRequest("a share is of the type \(PlainShare.recordType)")
        }
        var share: PlainShare
        if let known {
            share = known
        } else {
            let root = try root(ofNew: asked, in: zone)
            share = PlainShare(guid: "008PLAIN\(uniqueNumber())", root: root, owner: owner)
        }
        try share.change(as: asked) { uniqueNumber() }
        return share
    }

    /// The root record of a new share; nil for the whole zone.
    private func root(ofNew asked: PlainJSON, in zone: Zone) throws(PlainError) -> String? {
        if asked["recordName"].text == PlainShare.name {
            guard asked["forRecord"] == .null else { throw .badRequest("the share of a zone is for no record") }
            guard !zone.sharesRecords else { throw .badRequest("records of the zone are shared") }
            return nil
        }
        guard let root = asked["forRecord"]["recordName"].text else { throw .badRequest("a share needs forRecord") }
        guard !zone.isSharedWhole else { throw .badRequest("the zone is shared") }
        guard let record = zone.living(root), record.share == nil else {
            throw PlainError(404, "NOT_FOUND", "Cannot share - no such record exists to share")
        }
        guard record.shareName == nil else { throw .badRequest("the record is shared already") }
        guard asked["forRecord"]["recordChangeTag"].text == record.tag else {
            throw PlainError(409, "CONFLICT", "the record to share exists with a different change tag")
        }
        return root
    }

    /// Applies a guest's operation to another user's share. To delete the share ends the guest's own part.
    mutating func applyToOthersShare(
        _ operation: PlainJSON, in zone: inout Zone, at time: Int64
    ) throws -> Record? {
        let name = operation["record"]["recordName"].text ?? ""
        guard let share = zone.records[name]?.share, share.guests.contains(caller) else {
            throw PlainError(404, "NOT_FOUND", "Record not found")
        }
        if Self.isDeletion(operation) {
            endPart(in: name, of: &zone, at: time)
            return nil
        }
        guard share.part(of: caller)?.type == "ADMINISTRATOR" else { throw Self.denied("the share is its owner's") }
        return try apply(operation, to: &zone, at: time)
    }

    private func endPart(in share: String, of zone: inout Zone, at time: Int64) {
        zone.change(share, at: time, by: caller) { $0.share?.participants.removeAll { $0.user == caller } }
    }

    /// Ends the caller's part in a zone.
    mutating func leave(_ place: Place, at time: Int64) {
        guard var zone = holdings[place.owner]?[place.zone] else { return }
        let before = zone
        for record in zone.records.values.sorted(by: { $0.name < $1.name })
        where record.share?.guests.contains(caller) == true { endPart(in: record.name, of: &zone, at: time) }
        zone.noteSights(since: before)
        holdings[place.owner]?[place.zone] = zone
        notify(place, before.guests)
    }

    // MARK: Addresses

    /// The zone and the record name of a share.
    private func place(of guid: PlainJSON) throws(PlainError) -> (zone: Place, name: String) {
        for (owner, zones) in holdings {
            for (name, zone) in zones {
                guard let share = zone.records.values.first(where: { $0.share?.guid == guid["value"].text }) else {
                    continue
                }
                return (Place(owner: owner, zone: name), share.name)
            }
        }
        throw PlainError(404, "NOT_FOUND", "there is no such share")
    }

    mutating func resolve(_ body: PlainJSON) -> [PlainJSON] {
        body["shortGUIDs"].elements.map { guid in
            do throws(PlainError) { return try resolved(guid) } catch { return error.item(["shortGUID": guid]) }
        }
    }

    /// Lets the caller accept shares. If one of them does not exist or was accepted before, it accepts none.
    mutating func accept(_ body: PlainJSON, at time: Int64) throws(PlainError) -> [PlainJSON] {
        let guids = body["shortGUIDs"].elements
        for guid in guids {
            let part = try resolved(guid)
            guard part["participantStatus"].text != "ACCEPTED" else {
                throw .badRequest("the share was accepted before")
            }
        }
        return try guids.map { (guid) throws(PlainError) in
            let (place, name) = try place(of: guid)
            guard var zone = holdings[place.owner]?[place.zone] else { throw .zoneNotFound }
            let before = zone
            zone.change(name, at: time, by: caller) { record in
                guard var share = record.share, var part = share.part(of: caller) else { return }
                (part.user, part.status) = (caller, "ACCEPTED")
                if let known = share.participants.firstIndex(where: { $0.isUser(caller) }) {
                    share.participants[known] = part
                } else {
                    part.id = "P-\(caller)"
                    share.participants.append(part)
                }
                record.share = share
            }
            zone.noteSights(since: before)
            holdings[place.owner]?[place.zone] = zone
            joined[caller, default: []].insert(place)
            notify(place, zone.guests)
            return try resolved(guid)
        }
    }

    private mutating func resolved(_ guid: PlainJSON) throws(PlainError) -> PlainJSON {
        let (place, name) = try place(of: guid)
        guard let zone = holdings[place.owner]?[place.zone], let record = zone.records[name], let share = record.share,
            let part = share.part(of: caller)
        else { throw Self.denied("the user was not invited") }
        owner = place.owner
        let shown = render(record, place.zone)
        let root = guid["shouldFetchRootRecord"].flag == true ? share.root.flatMap(zone.living) : nil
        let fields =
            guid["rootRecordDesiredKeys"] == .null ? nil : guid["rootRecordDesiredKeys"].elements.compactMap(\.text)
        return .made([
            "shortGUID": guid, "containerIdentifier": .string("iCloud.plain"), "environment": .string("development"),
            "databaseScope": .string(caller == place.owner ? "PRIVATE" : "SHARED"), "zoneID": shown["zoneID"],
            "rootRecordName": share.root.map(PlainJSON.string),
            "rootRecord": root.map { render($0, place.zone, fields: fields) }, "share": shown,
            "ownerIdentity": share.participants[0].identity, "participantType": .string(part.type),
            "participantStatus": .string(part.status), "participantPermission": .string(part.permission),
        ])
    }
}
