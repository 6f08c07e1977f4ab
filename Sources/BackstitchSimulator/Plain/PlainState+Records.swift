import BackstitchSupport

extension PlainState {
    mutating func lookUp(_ body: PlainJSON) -> [PlainJSON] {
        let fields = body["desiredKeys"] == .null ? nil : body["desiredKeys"].elements.compactMap(\.text)
        let found: (name: String, zone: Zone)
        do { found = try find(body["zoneID"]) } catch {
            return body["records"].elements.map { error.item(["recordName": $0["recordName"]]) }
        }
        let sight = sight(of: found.zone)
        return body["records"].elements.map { asked in
            let name = asked["recordName"].text ?? ""
            guard let record = found.zone.living(name), sight?.contains(name) ?? true else {
                return PlainError(404, "NOT_FOUND", "Record not found").item(["recordName": .string(name)])
            }
            return render(record, found.name, fields: fields)
        }
    }

    mutating func modify(_ body: PlainJSON, at time: Int64) throws -> (Int, PlainJSON) {
        var (name, zone) = try find(body["zoneID"])
        let operations = body["operations"].elements
        guard operations.count <= behavior.operations else { throw PlainError.badRequest("limit exceeded: operations") }
        let names = operations.map { $0["record"]["recordName"].text ?? "" }
        guard Set(names).count == names.count else { throw PlainError.badRequest("a record is named twice") }
        let isPublic = database == .public
        guard !isPublic || body["atomic"].flag != true else {
            throw PlainError.badRequest("the default zone has no atomic requests")
        }
        let isAtomic = !isPublic && body["atomic"].flag ?? true
        let fields = body["desiredKeys"] == .null ? nil : body["desiredKeys"].elements.compactMap(\.text)
        var results: [PlainJSON] = []
        var failed: Set<Int> = []
        let before = zone
        let made = Set(zip(names, operations).filter { !Self.isDeletion($1) }.map(\.0))
        for (index, operation) in operations.enumerated() {
            do {
                let result: Record?
                if database == .shared, Self.isShare(operation["record"], in: zone) {
                    result = try applyToOthersShare(operation, in: &zone, at: time)
                } else {
                    try requireRight(to: zone.living(names[index]), operation, in: zone)
                    result = try apply(operation, to: &zone, beside: made, at: time)
                }
                results.append(result.map { render($0, name, fields: fields) } ?? deleted(names[index]))
            } catch let error as PlainError {
                failed.insert(index)
                failures[error.code, default: 0] += 1
                results.append(error.item(["recordName": .string(names[index])]))
            }
        }
        if isAtomic, !failed.isEmpty {
            zone = before
            for index in operations.indices where !failed.contains(index) {
                results[index] = PlainError(400, "ATOMIC_ERROR", "another operation failed").item([
                    "recordName": .string(names[index])
                ])
            }
        }
        if zone.head != before.head { zone.noteSights(since: before) }
        zones[name] = zone
        if isPublic {
            for record in names where zone.records[record]?.sequence ?? 0 > before.head {
                notifyQueries(of: record, zone.records[record]?.type)
            }
        } else if zone.head != before.head {
            notify(Place(owner: owner, zone: name), before.guests.union(zone.guests))
        }
        if behavior.shufflesResults { results.reverse() }
        return (isAtomic && !failed.isEmpty && behavior.failsWhole ? 400 : 200, ["records": .array(results)].json)
    }

    /// Checks the right to change a record. In the public database only its creator may change it, unless
    /// `everybodyWrites` is set. In the shared database, guests need the right to write.
    private func requireRight(to record: Record?, _ operation: PlainJSON, in zone: Zone) throws {
        guard database != .shared else { return try requireGuestsRight(to: record, operation, in: zone) }
        guard database == .public else { return }
        guard let record, operation["operationType"].text != "create", !behavior.everybodyWrites,
            record.creator != caller
        else { return }
        throw PlainError(403, "ACCESS_DENIED", "another user has made the record")
    }

    static func isDeletion(_ operation: PlainJSON) -> Bool {
        operation["operationType"].text?.lowercased().hasSuffix("delete") == true
    }

    private func deleted(_ name: String) -> PlainJSON {
        ["recordName": .string(name), "deleted": .bool(true)].json
    }

    /// Applies one operation to a zone.
    ///
    /// - Parameter names: The records made or changed by the request.
    /// - Returns: The new version of the record; nil when it is deleted.
    mutating func apply(
        _ operation: PlainJSON, to zone: inout Zone, beside names: Set<String> = [], at time: Int64
    ) throws -> Record? {
        let asked = operation["record"]
        guard let name = asked["recordName"].text, !name.isEmpty, name.utf8.count <= 255, !name.hasPrefix("_") else {
            throw PlainError.badRequest("a record needs a name")
        }
        let old = zone.records[name], living = zone.living(name)
        let kind = operation["operationType"].text ?? ""
        switch kind {
        case "create":
            if living != nil {
                throw PlainError(409, behavior.saysExists ? "EXISTS" : "CONFLICT", "record to insert already exists")
            }
        case "update", "replace", "delete":
            guard let living else {
                if old != nil, kind != "delete" {
                    throw PlainError(409, "CONFLICT", "Oplock error updating deleted record")
                }
                throw PlainError(404, "NOT_FOUND", "Record not found")
            }
            guard asked["recordChangeTag"].text == living.tag else {
                throw PlainError(409, "CONFLICT", "client oplock error updating record")
            }
        case "forceUpdate", "forceReplace", "forceDelete": break
        default: throw PlainError.badRequest("no such operation type")
        }
        if Self.isDeletion(operation) {
            zone.delete(name, at: time, by: caller)
            return nil
        }
        if let parent = asked["parent"]["recordName"].text, zone.living(parent) == nil, !names.contains(parent) {
            throw PlainError(412, "VALIDATING_REFERENCE_ERROR", "the parent \(parent) does not exist")
        }
        return try save(asked, name, living, kind, to: &zone, at: time)
    }

    private mutating func save(
        _ asked: PlainJSON, _ name: String, _ living: Record?, _ kind: String, to zone: inout Zone, at time: Int64
    ) throws -> Record {
        let isShare = Self.isShare(asked, in: zone)
        guard let type = asked["recordType"].text ?? living?.type else { throw PlainError.badRequest("no record type") }
        var fields = kind.lowercased().hasSuffix("update") ? living?.fields.keys ?? [:] : [:]
        for (field, value) in asked["fields"].keys {
            if value["value"] == .null {
                fields[field] = nil
            } else {
                fields[field] = try accept(value, field, living)
            }
        }
        let share = try isShare ? sharing(asked, living?.share, in: zone) : nil
        zone.head += 1
        // No document tells how to remove a parent. Therefore a request without a parent leaves it unchanged.
        let record = Record(
            name: name, type: type, fields: .object(fields),
            parent: asked["parent"]["recordName"].text ?? living?.parent, tag: zone.tag(ofChange: zone.head),
            sequence: zone.head, created: living?.created ?? time, creator: living?.creator ?? caller, modified: time,
            modifier: caller, share: share, shareName: living?.shareName)
        zone.records[name] = record
        if living == nil, let root = share?.root {
            zone.change(root, at: time, by: caller) { $0.shareName = name }
        }
        return record
    }

    /// The stored value of a field. For an asset it is the part that clients may read.
    private func accept(_ value: PlainJSON, _ field: String, _ living: Record?) throws -> PlainJSON {
        guard value["type"].text == "ASSETID" else { return value }
        guard let receipt = value["value"]["receipt"].text, let known = receipts[receipt] else {
            throw PlainError.badRequest("the asset of the field \(field) has no receipt")
        }
        guard value["value"]["fileChecksum"] == known["fileChecksum"], value["value"]["size"] == known["size"] else {
            throw PlainError.badRequest("the asset of the field \(field) is not that of the receipt")
        }
        let checksum = known["fileChecksum"].text ?? ""
        let path = checksum.utf8.hexadecimal
        let asset: PlainJSON = [
            "fileChecksum": known["fileChecksum"], "size": known["size"],
            "downloadURL": .string("\(address)/blob/\(path)/${f}"),
        ].json
        return ["value": asset, "type": .string("ASSETID")].json
    }
}
