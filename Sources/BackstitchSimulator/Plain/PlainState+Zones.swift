extension PlainState {
    private func id(_ name: String) -> PlainJSON {
        [
            "zoneName": .string(name), "ownerRecordName": .string(Self.user),
            "zoneType": .string("REGULAR_CUSTOM_ZONE"),
        ].json
    }

    func describe(_ name: String) -> PlainJSON {
        let token = zones[name].map { PlainToken(epoch: $0.epoch, sequence: $0.head).text }
        return .made(["zoneID": id(name), "syncToken": token.map(PlainJSON.string), "atomic": .bool(true)])
    }

    func lookUpZone(_ asked: PlainJSON) -> PlainJSON {
        let name = asked["zoneName"].text ?? ""
        return zones[name] == nil ? PlainError.zoneNotFound.item(["zoneID": id(name)]) : describe(name)
    }

    mutating func modifyZone(_ operation: PlainJSON) -> PlainJSON {
        let name = operation["zone"]["zoneID"]["zoneName"].text ?? ""
        switch operation["operationType"].text {
        case "create"?:
            if zones[name] == nil { zones[name] = Zone(epoch: nextEpoch()) }
            return describe(name)
        case "delete"?:
            guard zones[name] != nil else { return PlainError.zoneNotFound.item(["zoneID": id(name)]) }
            deleteZone(name)
            return ["zoneID": id(name), "deleted": .bool(true)].json
        default: return PlainError.badRequest("no such operation").item(["zoneID": id(name)])
        }
    }

    /// All of them, whatever the token: which is allowed.
    func databaseChanges() -> PlainJSON {
        let gone = Set(deletedZones).filter { zones[$0] == nil }.sorted()
        return [
            "zones": .array(
                zones.keys.sorted().map(describe) + gone.map { ["zoneID": id($0), "deleted": .bool(true)].json }),
            "moreComing": .bool(false), "syncToken": .string("database"),
        ].json
    }

    /// A page of one zone's changes: what each record is now, in the order of the last changes.
    mutating func changes(_ asked: PlainJSON, _ body: PlainJSON) -> PlainJSON {
        let name = asked["zoneID"]["zoneName"].text ?? ""
        guard let zone = zones[name] else { return PlainError.zoneNotFound.item(["zoneID": id(name)]) }
        var after: Int64 = 0
        var mayBeEmpty = behavior.sendsEmptyPages
        var isFromBeginning = true
        if var text = asked["syncToken"].text {
            // A token that an empty page gave.
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
        let news = zone.records.values.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }
        if mayBeEmpty, !news.isEmpty {
            let token = PlainToken(epoch: zone.epoch, sequence: after).text + (isFromBeginning ? "*!" : "!")
            return page(name, [], token, moreComing: true)
        }
        let limit = max(1, min(Int(body["resultsLimit"].integer ?? 200), behavior.page))
        let chosen = news.prefix(limit)
        let isLast = chosen.count == news.count
        let token = PlainToken(epoch: zone.epoch, sequence: isLast ? zone.head : chosen.last?.sequence ?? after).text
        let fields = asked["desiredKeys"] == .null ? nil : asked["desiredKeys"].elements.compactMap(\.text)
        let told = chosen.filter { !$0.isDeleted || !isFromBeginning || behavior.tellsOldDeletions }
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
        func stamp(_ time: Int64) -> PlainJSON {
            ["timestamp": .integer(time), "userRecordName": .string(record.creator), "deviceID": .string("2")].json
        }
        let wanted = fields.map(Set.init)
        let shown = record.fields.keys.filter { wanted?.contains($0.key) ?? true }
        return [
            "recordName": .string(record.name), "recordType": record.type.map(PlainJSON.string) ?? .null,
            "fields": .object(shown), "pluginFields": .object([:]), "recordChangeTag": .string(record.tag),
            "created": stamp(record.created), "modified": stamp(record.modified), "deleted": .bool(false),
            "zoneID": id(zone),
        ].json
    }

    // MARK: Subscriptions

    func lookUpSubscription(_ asked: PlainJSON) -> PlainJSON {
        let id = asked["subscriptionID"].text ?? ""
        guard var subscription = subscriptions[id] else {
            return PlainError(404, "NOT_FOUND", "no such subscription").item(["subscriptionID": .string(id)])
        }
        if behavior.forgetsNotificationInfo { subscription["notificationInfo"] = .null }
        return subscription
    }

    mutating func modifySubscription(_ operation: PlainJSON) -> PlainJSON {
        let subscription = operation["subscription"]
        let id = subscription["subscriptionID"].text ?? ""
        if operation["operationType"].text == "delete" {
            subscriptions[id] = nil
            return ["subscriptionID": .string(id), "deleted": .bool(true)].json
        }
        let isOfDatabase = subscription["subscriptionType"].text == "database"
        let isOfQuery = subscription["subscriptionType"].text == "query"
        guard isOfDatabase || isOfQuery || zones[subscription["zoneID"]["zoneName"].text ?? ""] != nil else {
            return PlainError.zoneNotFound.item(["subscriptionID": .string(id)])
        }
        // The same again changes nothing.
        if subscriptions[id] == nil { subscriptions[id] = subscription }
        return lookUpSubscription(subscription)
    }
}
