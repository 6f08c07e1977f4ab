import Backstitch
import BackstitchSupport
import CloudWire

/// Push tokens: devices get them, poll with them, and are woken by them.
struct PushTokenOperations: Sendable {
    let server: ServerContext

    /// `tokens/create`: makes a new push token for the caller's subscriptions.
    func create(_ request: PushToken, _ scope: RequestScope) async throws -> PushToken {
        try checkClient(request)
        let secret = server.random.bytes(TokenSigner.secretLength)
        let (text, gone, watches) = try await server.change(scope) { writing in
            let owner = try server.makeOwner(scope, writing)
            let text = PushTokenText(tenantID: owner.tenantID, secret: secret, server.signer)
            try writing.putPushToken(
                StoredPushToken(
                    key: text.key, tenant: scope.database.tenant, user: scope.user, credential: scope.credential,
                    client: request.clientId),
                seen: server.clock.milliseconds())
            let gone = try forgetOldTokens(of: scope.user, keeping: text.key, writing)
            return (text, gone, try watch(on: text.key, scope.user, writing))
        }
        server.push.hub.close(gone)
        server.push.hub.open(text.key, with: [])
        server.push.peers?.watch.begin(watches)
        if !gone.isEmpty { server.push.peers?.tell([scope.user]) }
        return PushToken(
            apnsEnvironment: request.apnsEnvironment, apnsToken: text.text,
            webcourierURL: "\(scope.baseURL)/aps?tok=\(text.text)")
    }

    /// `tokens/register`: gives a push token of this server or of APNs to the caller.
    func register(_ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        if let token = request.apnsToken.flatMap(WakeToken.init) {
            return try await register(token, request, scope)
        }
        guard let text = request.apnsToken.flatMap(PushTokenText.init), text.isGenuine(server.signer) else {
            throw WireError(.badRequest, "apnsToken was not issued by this server; make one with tokens/create")
        }
        try checkClient(request)
        let (gone, before) = try await server.change(scope) { writing in
            guard var token = try writing.pushToken(text.key),
                token.tenant == scope.database.tenant
            else {
                throw WireError(.badRequest, "apnsToken was not issued by this server; make one with tokens/create")
            }
            let before = token.user
            (token.user, token.credential) = (scope.user, scope.credential)
            token.client = request.clientId ?? token.client
            try writing.putPushToken(token, seen: server.clock.milliseconds())
            return (try forgetOldTokens(of: scope.user, keeping: text.key, writing), before)
        }
        server.push.hub.close(gone)
        // The token may still wait at another server, for another user.
        if !gone.isEmpty || before != scope.user { server.push.peers?.tell([before, scope.user]) }
        return EmptyBody()
    }

    /// `tokens/unregister`: ends the caller's push tokens made under a client's name, with their waiting polls. If
    /// there is none, that is no error.
    func unregister(_ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        guard let client = request.clientId else {
            throw WireError(.badRequest, "clientId is missing; name the client whose push tokens should end")
        }
        try checkClient(request)
        let gone = try await server.change(scope, frees: true) { writing in
            try writing.removePushTokens(tenant: scope.database.tenant, user: scope.user, client: client)
        }
        server.push.hub.close(gone)
        // They may wait at another server.
        if !gone.isEmpty { server.push.peers?.tell([scope.user]) }
        return EmptyBody()
    }

    private func checkClient(_ request: PushToken) throws(WireError) {
        guard let client = request.clientId, !RecordRules.isValidUser(client) else { return }
        throw WireError(.badRequest, "clientId must be 1 to 255 bytes without control characters")
    }

    /// Limits the devices of a user. The ones unused for longest are forgotten. A device that returns makes a new
    /// token.
    private func forgetOldTokens(
        of user: String, keeping key: PushTokenKey, _ writing: ZoneTransaction
    ) throws -> [PushTokenKey] {
        try writing.removePushTokens(of: user, beyond: server.configuration.userQuotas.pushTokens, keeping: key)
    }

    /// Makes sure that a push token has a mailbox for its polls.
    ///
    /// - Throws: NOT_FOUND for a token not made by this server, or if the token or key of its maker is no longer valid.
    func openMailbox(token text: String) async throws -> StoredPushToken {
        guard let text = PushTokenText(text), text.isGenuine(server.signer) else { throw Self.unknownToken }
        let isNew = !server.push.hub.knows(text.key)
        let limit = server.configuration.userQuotas.subscriptions
        let (token, hints, watches) = try await server.storage.read {
            reading -> (StoredPushToken, [PushNotification], [StoredWatch]) in
            guard let token = try reading.pushToken(text.key) else { throw Self.unknownToken }
            guard isNew else { return (token, [], []) }
            let hints = try reading.hints(for: token, limit: limit).map { Notifier(server: server).hint($0, token) }
            return (token, hints, try watch(on: token.key, token.user, reading))
        }
        guard try await server.users.honours(token.bearer) else { throw Self.unknownToken }
        if isNew {
            server.push.hub.open(text.key, with: hints)
            server.push.peers?.watch.begin(watches)
        }
        return token
    }

    /// The current states of a push token's subscriptions, if other servers may change something.
    private func watch(on key: PushTokenKey, _ user: String, _ reading: ZoneSnapshot) throws -> [StoredWatch] {
        server.push.peers == nil ? [] : try reading.watches(ofUsers: [user]).filter { $0.token.key == key }
    }

    static var unknownToken: WireError { WireError(.notFound, "unknown push token") }

    /// Ends the push tokens made with tokens and keys that are no longer valid. Their waiting polls end too.
    func removeEnded() async throws {
        if server.users.isDevelopment { return }
        let now = server.clock.milliseconds()
        let ended = try await server.storage.read { try $0.endedBearers(at: now) }
        let holders = Set(ended.filter { !server.users.isConfigured($0) }.map { ByteText($0.user) }).map(\.string)
            .sorted()
        // Some users at a time, so no other write waits long.
        for part in holders.parts(of: Self.usersOfStep) {
            let part = Array(part)
            let gone = try await server.storage.write(frees: true) { writing in
                // A user may have got a token meanwhile.
                try part.flatMap { user in
                    try writing.removePushTokens(
                        of: try writing.endedBearers(of: user, at: now).filter { !server.users.isConfigured($0) })
                }
            }
            server.push.hub.close(gone)
        }
    }

    private static let usersOfStep = 50
}
