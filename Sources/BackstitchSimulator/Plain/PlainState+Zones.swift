extension PlainState {
    private func id(_ place: Place) -> PlainJSON {
        [
            "zoneName": .string(place.zone),
            "ownerRecordName": .string(place.owner == Self.everybody ? Self.user : place.owner),
            "zoneType": .string("REGULAR_CUSTOM_ZONE"),
        ].json
    }

    private func id(_ name: String) -> PlainJSON { id(Place(owner: owner, zone: name)) }

    /// The zone that an element of a request names. Afterwards, `owner` is the owner of that zone.
    ///
    /// - Throws: ``PlainError`` if the caller sees no such zone.
    mutating func find(_ asked: PlainJSON) throws(PlainError) -> (name: String, zone: Zone) {
        var name = asked["zoneName"].text ?? ""
        switch database {
        case .public:
            owner = Self.everybody
            if name.isEmpty { name = Self.publicZone }
        case .private: owner = caller
        case .shared:
            guard let named = asked["ownerRecordName"].text else {
                throw .badRequest("a zone of the shared database needs its ownerRecordName")
            }
            owner = named
        }
        guard let zone = zones[name], database != .shared || zone.guests.contains(caller) else {
            throw .zoneNotFound
        }
        return (name, zone)
    }

    private func describe(_ place: Place) -> PlainJSON {
        let zone = holdings[place.owner]?[place.zone]
        let token = zone.map { PlainToken(epoch: $0.epoch, sequence: $0.head).text }
        return .made(["zoneID": id(place), "syncToken": token.map(PlainJSON.string), "atomic": .bool(true)])
    }

    /// The zones in this database that the caller sees.
    private var seen: [Place] {
        if database == .shared {
            return joined[caller, default: []].filter { place in
                holdings[place.owner]?[place.zone]?.guests.contains(caller) ?? false
            }.sorted()
        }
        return holdings[caller, default: [:]].keys.map { Place(owner: caller, zone: $0) }.sorted()
    }

    func listZones() -> PlainJSON { ["zones": .array(seen.map(describe))].json }

    mutating func lookUpZone(_ asked: PlainJSON) -> PlainJSON {
        do {
            let name = try find(asked).name
            return describe(Place(owner: owner, zone: name))
        } catch { return error.item(["zoneID": asked]) }
    }

    mutating func modifyZone(_ operation: PlainJSON, at time: Int64) -> PlainJSON {
        let asked = operation["zone"]["zoneID"]
        do {
            switch (operation["operationType"].text, database) {
            case ("create"?, .private):
                let place = Place(owner: caller, zone: asked["zoneName"].text ?? "")
                owner = caller
                if zones[place.zone] == nil { zones[place.zone] = Zone(epoch: nextEpoch()) }
                return describe(place)
            case ("delete"?, .private):
                let place = Place(owner: caller, zone: try find(asked).name)
                deleteZone(place)
                return ["zoneID": id(place), "deleted": .bool(true)].json
            case ("delete"?, .shared):
                let place = Place(owner: asked["ownerRecordName"].text ?? "", zone: try find(asked).name)
                leave(place, at: time)
                return ["zoneID": id(place), "deleted": .bool(true)].json
            default: throw PlainError.badRequest("no such operation")
            }
        } catch let error as PlainError { return error.item(["zoneID": asked]) } catch { return .null }
    }

    /// Returns all zones for any token, which the protocol allows.
    func databaseChanges() -> PlainJSON {
        let there = seen
        let known = database == .shared ? joined[caller, default: []] : deletedZones.filter { $0.owner == caller }
        let gone = known.subtracting(there).sorted()
        return [
            "zones": .array(there.map(describe) + gone.map { ["zoneID": id($0), "deleted": .bool(true)].json }),
            "moreComing": .bool(false), "syncToken": .string("database"),
        ].json
    }

    /// A page of one zone's changes: the present versions of records, in the order of their last changes.
    mutating func changes(_ asked: PlainJSON, _ body: PlainJSON) -> PlainJSON {
        let name: String, zone: Zone
        do { (name, zone) = try find(asked["zoneID"]) } catch { return error.item(["zoneID": asked["zoneID"]]) }
        var after: Int64 = 0
        var mayBeEmpty = behavior.sendsEmptyPages
        var isFromBeginning = true
        if var text = asked["syncToken"].text {
            // This token came from an empty page.
            if text.hasSuffix("!") {
                text.removeLast()
                mayBeEmpty = false
            }
            isFromBeginning = text.hasSuffix("*")
            if isFromBeginning { text.removeLast() }
            guard let token = PlainToken(text), token.epoch == zone.epoch, token.sequence <= zone.head else {
                return PlainError.badRequest("Invalid continuation format").item(["zoneID": id(name)])
            }
            after = token.sequence
        }
        let news = zone.news(for: database == .shared ? caller : nil).filter { $0.position > after }
            .sorted { $0.position < $1.position }
        if mayBeEmpty, !news.isEmpty {
            let token = PlainToken(epoch: zone.epoch, sequence: after).text + (isFromBeginning ? "*!" : "!")
            return page(name, [], token, moreComing: true)
        }
        let limit = max(1, min(Int(body["resultsLimit"].integer ?? 200), behavior.page))
        let chosen = news.prefix(limit)
        let isLast = chosen.count == news.count
        let token = PlainToken(epoch: zone.epoch, sequence: isLast ? zone.head : chosen.last?.position ?? after).text
        let fields = asked["desiredKeys"] == .null ? nil : asked["desiredKeys"].elements.compactMap(\.text)
        let told = chosen.map(\.record).filter { !$0.isDeleted || !isFromBeginning || behavior.tellsOldDeletions }
        return page(name, told.map { render($0, name, fields: fields) }, token, moreComing: !isLast)
    }

    private func page(_ name: String, _ records: [PlainJSON], _ token: String, moreComing: Bool) -> PlainJSON {
        [
            "zoneID": id(name), "syncToken": .string(token), "moreComing": .bool(moreComing),
            "records": .array(records),
        ].json
    }

    func render(_ record: Record, _ zone: String, fields: [String]? = nil) -> PlainJSON {
        guard !record.isDeleted else {
            return [
                "recordName": .string(record.name), "recordType": .null, "deleted": .bool(true),
                "recordChangeTag": .string(record.tag),
            ].json
        }
        func stamp(_ time: Int64, _ user: String) -> PlainJSON {
            ["timestamp": .integer(time), "userRecordName": .string(user), "deviceID": .string("2")].json
        }
        let wanted = fields.map(Set.init)
        let shown = record.fields.keys.filter { wanted?.contains($0.key) ?? true }
        let plain = PlainJSON.made([
            "recordName": .string(record.name), "recordType": record.type.map(PlainJSON.string) ?? .null,
            "fields": .object(shown), "pluginFields": .object([:]), "recordChangeTag": .string(record.tag),
            "created": stamp(record.created, record.creator), "modified": stamp(record.modified, record.modifier),
            "deleted": .bool(false), "zoneID": id(zone),
            "parent": record.parent.map { .made(["recordName": .string($0)]) },
            "share": record.shareName.map { .made(["recordName": .string($0), "zoneID": id(zone)]) },
        ])
        return record.share.map { $0.shown(in: plain, to: caller) } ?? plain
    }
}
