import Foundation

extension PlainState {
    mutating func answer(_ request: PlainServer.Request, at time: Int64) -> PlainServer.Answer {
        let address = PlainAddress(request.url)
        do {
            switch address.path.first {
            case "database"?, "device"?: return try api(request, address, at: time)
            case "aps"?: return poll(address)
            case "upload"?: return try receive(request, address)
            case "blob"?: return try send(request, address)
            default: throw PlainError(404, "NOT_FOUND", "could not find handler for endpoint")
            }
        } catch let error as PlainError {
            refusals.append("\(address.path.suffix(2).joined(separator: "/")): \(error.reason)")
            var body = error.item(["uuid": .string("u\(uniqueNumber())")])
            if error.status == 421 { body["redirectURL"] = .string("https://example.org/signin") }
            return PlainServer.Answer(status: error.status, headers: Self.json, body: body.bytes)
        } catch {
            return PlainServer.Answer(status: 500)
        }
    }

    static var json: [(name: String, value: String)] {
        [(name: "Content-Type", value: "application/json; charset=UTF-8")]
    }

    private mutating func api(
        _ request: PlainServer.Request, _ address: PlainAddress, at time: Int64
    ) throws -> PlainServer.Answer {
        let isDevice = address.path[0] == "device"
        let head = isDevice ? 4 : 5
        guard address.path.count == head + 2, address.path[1] == "1", address.path[2].hasPrefix("iCloud."),
            ["development", "production"].contains(address.path[3])
        else { throw PlainError(404, "NOT_FOUND", "could not find handler for endpoint") }
        let endpoint = address.path.suffix(2).joined(separator: "/")
        let database = isDevice ? "" : address.path[4]
        counts[endpoint, default: 0] += 1
        try checkPlace(endpoint, database, request.method)
        guard let rotated = tokens.take(address.query["ckWebAuthToken"], behavior.webTokens) else {
            throw PlainError(421, "AUTHENTICATION_REQUIRED", "request needs authorization")
        }
        // If the server has no tokens of its own, each token is the name of a user.
        let token = tokens.current == nil ? address.query["ckWebAuthToken"] : nil
        guard let user = request.user ?? token ?? (hasUsers ? nil : Self.user) else {
            throw PlainError(421, "AUTHENTICATION_REQUIRED", "request needs authorization")
        }
        (caller, owner, self.database) = (user, user, Database(rawValue: database) ?? .private)
        var body = PlainJSON.object([:])
        if request.method == "POST" {
            do { body = try PlainJSON(request.body) } catch { throw PlainError.badRequest("the body is no JSON") }
        }
        if behavior.refusesUnknownKeys { try PlainKeys.check(body, of: endpoint) }
        var answer = PlainServer.Answer(headers: Self.json)
        if let rotated { answer.headers.append((name: "X-Apple-CloudKit-Web-Auth-Token", value: rotated)) }
        var (status, result) = try self.result(endpoint, body, at: time)
        if behavior.leavesOutLists { result = result.withoutEmptyLists }
        answer.status = status
        answer.body = result.bytes
        return answer
    }

    private func checkPlace(_ endpoint: String, _ database: String, _ method: String) throws {
        let isGet = ["zones/list", "subscriptions/list", "users/caller"].contains(endpoint)
        guard method == (isGet ? "GET" : "POST") else { throw PlainError(405, "BAD_REQUEST", "method not allowed") }
        switch endpoint {
        case "users/caller", "records/resolve", "records/accept":
            guard database == "public" else { throw notApplicable(database) }
        case "tokens/create", "tokens/register":
            guard database.isEmpty else { throw PlainError(405, "BAD_REQUEST", "method not allowed") }
        case "records/query", "records/modify", "records/lookup", "assets/upload", "zones/lookup",
            "subscriptions/lookup", "subscriptions/modify":
            guard Database(rawValue: database) != nil else { throw notApplicable(database) }
        default:
            guard database == "private" || database == "shared" else { throw notApplicable(database) }
        }
    }

    private func notApplicable(_ database: String) -> PlainError {
        .badRequest("endpoint not applicable in the database type '\(database)db'")
    }

    private mutating func result(_ endpoint: String, _ body: PlainJSON, at time: Int64) throws -> (Int, PlainJSON) {
        switch endpoint {
        case "zones/list": return (200, listZones())
        case "zones/lookup": return (200, ["zones": .array(body["zones"].elements.map { lookUpZone($0) })].json)
        case "zones/modify":
            return (200, ["zones": .array(body["operations"].elements.map { modifyZone($0, at: time) })].json)
        case "changes/database": return (200, databaseChanges())
        case "changes/zone": return (200, ["zones": .array(body["zones"].elements.map { changes($0, body) })].json)
        case "records/lookup": return (200, ["records": .array(lookUp(body))].json)
        case "records/resolve": return (200, ["results": .array(resolve(body))].json)
        case "records/accept": return (200, ["results": .array(try accept(body, at: time))].json)
        case "records/query": return (200, try query(body))
        case "records/modify": return try modify(body, at: time)
        case "assets/upload": return (200, try uploadAddresses(body))
        case "users/caller": return (200, ["users": .array([["userRecordName": .string(caller)].json])].json)
        case "subscriptions/lookup" where behavior.hasSubscriptions:
            return (200, ["subscriptions": .array(body["subscriptions"].elements.map(lookUpSubscription))].json)
        case "subscriptions/modify" where behavior.hasSubscriptions:
            return (200, ["subscriptions": .array(body["operations"].elements.map { modifySubscription($0) })].json)
        case "tokens/create" where behavior.hasSubscriptions:
            let token = "push\(uniqueNumber())"
            return (
                200,
                [
                    "apnsEnvironment": body["apnsEnvironment"], "apnsToken": .string(token),
                    "webcourierURL": .string("\(address)/aps?tok=\(token)&ttl=43200"),
                ].json
            )
        case "tokens/register" where behavior.hasSubscriptions:
            if let token = body["apnsToken"].text { registered[token] = caller }
            return (200, .object([:]))
        default: throw PlainError(404, "NOT_FOUND", "could not find handler for endpoint")
        }
    }

    private mutating func poll(_ address: PlainAddress) -> PlainServer.Answer {
        counts["aps", default: 0] += 1
        guard let token = address.query["tok"], var waiting = mailboxes[token], !waiting.isEmpty else {
            return PlainServer.Answer()
        }
        let first = waiting.removeFirst()
        mailboxes[token] = waiting
        return PlainServer.Answer(body: first)
    }
}

extension [String: PlainJSON] {
    var json: PlainJSON { .object(self) }
}

extension PlainJSON {
    fileprivate var withoutEmptyLists: PlainJSON {
        switch self {
        case .object(let keys): .object(keys.filter { $0.value != .array([]) }.mapValues(\.withoutEmptyLists))
        case .array(let elements): .array(elements.map(\.withoutEmptyLists))
        default: self
        }
    }
}
