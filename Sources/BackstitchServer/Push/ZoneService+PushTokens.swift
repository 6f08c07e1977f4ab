import Backstitch
import BackstitchSupport
import CloudWire

extension ZoneService {
    /// `tokens/create`: makes a new push token for the caller's subscriptions.
    func createToken(_ request: PushToken, _ scope: RequestScope) async throws -> PushToken {
        try checkClient(request)
        let secret = random.bytes(TokenSigner.secretLength)
        let (text, gone, watches) = try await change(scope) { writing in
            let owner = try makeOwner(scope, writing)
            let text = PushTokenText(tenantID: owner.tenantID, secret: secret, signer)
            try writing.putPushToken(
                StoredPushToken(
                    key: text.key, tenant: scope.database.tenant, user: scope.user, credential: scope.credential,
                    client: request.clientId),
                seen: clock.milliseconds())
            let gone = try forgetOldTokens(of: scope.user, keeping: text.key, writing)
            return (text, gone, try watch(on: text.key, scope.user, writing))
        }
        hub.close(gone)
        hub.open(text.key, with: [])
        peers?.watch.begin(watches)
        if !gone.isEmpty { peers?.tell([scope.user]) }
        return PushToken(
            apnsEnvironment: request.apnsEnvironment, apnsToken: text.text,
            webcourierURL: "\(scope.baseURL)/aps?tok=\(text.text)")
    }

    /// `tokens/register`: gives a push token of this server or of APNs to the caller.
    func registerToken(_ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        if let token = request.apnsToken.flatMap(WakeToken.init) {
            return try await registerDevice(token, request, scope)
        }
        guard let text = request.apnsToken.flatMap(PushTokenText.init), text.isGenuine(signer) else {
            throw WireError(.badRequest, "apnsToken was not issued by this server; make one with tokens/create")
        }
        try checkClient(request)
        let (gone, before) = try await change(scope) { writing in
            guard var token = try writing.pushToken(text.key),
                token.tenant == scope.database.tenant
            else {
                throw WireError(.badRequest, "apnsToken was not issued by this server; make one with tokens/create")
            }
            let before = token.user
            (token.user, token.credential) = (scope.user, scope.credential)
            token.client = request.clientId ?? token.client
            try writing.putPushToken(token, seen: clock.milliseconds())
            return (try forgetOldTokens(of: scope.user, keeping: text.key, writing), before)
        }
        hub.close(gone)
        // The token may still wait at another server, for another user.
        if !gone.isEmpty || before != scope.user { peers?.tell([before, scope.user]) }
        return EmptyBody()
    }

    /// `tokens/unregister`: ends the caller's push tokens made under a client's name, with their waiting polls. If
    /// there is none, that is no error.
    func unregisterTokens(_ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        guard let client = request.clientId else {
            throw WireError(.badRequest, "clientId is missing; name the client whose push tokens should end")
        }
        try checkClient(request)
        let gone = try await change(scope, frees: true) { writing in
            try writing.removePushTokens(tenant: scope.database.tenant, user: scope.user, client: client)
        }
        hub.close(gone)
        // They may wait at another server.
        if !gone.isEmpty { peers?.tell([scope.user]) }
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
        try writing.removePushTokens(of: user, beyond: configuration.userQuotas.pushTokens, keeping: key)
    }

    /// Makes sure that a push token has a mailbox for its polls.
    ///
    /// - Throws: NOT_FOUND for a token not made by this server, or if the token or key of its maker is no longer valid.
    func openMailbox(token text: String) async throws -> StoredPushToken {
        guard let text = PushTokenText(text), text.isGenuine(signer) else { throw Self.unknownPushToken }
        let isNew = !hub.knows(text.key)
        let limit = configuration.userQuotas.subscriptions
        let (token, hints, watches) = try await storage.read {
            reading -> (StoredPushToken, [PushNotification], [StoredWatch]) in
            guard let token = try reading.pushToken(text.key) else { throw Self.unknownPushToken }
            guard isNew else { return (token, [], []) }
            let hints = try reading.hints(for: token, limit: limit).map { hint($0, token) }
            return (token, hints, try watch(on: token.key, token.user, reading))
        }
        guard try await users.honours(token.bearer) else { throw Self.unknownPushToken }
        if isNew {
            hub.open(text.key, with: hints)
            peers?.watch.begin(watches)
        }
        return token
    }

    /// The current states of a push token's subscriptions, if other servers may change something.
    private func watch(on key: PushTokenKey, _ user: String, _ reading: ZoneSnapshot) throws -> [StoredWatch] {
        peers == nil ? [] : try reading.watches(ofUsers: [user]).filter { $0.token.key == key }
    }

    static var unknownPushToken: WireError { WireError(.notFound, "unknown push token") }

    /// Ends the push tokens made with tokens and keys that are no longer valid. Their waiting polls end too.
    func removeEndedPushTokens() async throws {
        if users.isDevelopment { return }
        let now = clock.milliseconds()
        let ended = try await storage.read { try $0.endedBearers(at: now) }
        let holders = Set(ended.filter { !users.isConfigured($0) }.map { ByteText($0.user) }).map(\.string).sorted()
        // Some users at a time, so no other write waits long.
        for part in holders.parts(of: Self.usersOfStep) {
            let part = Array(part)
            let gone = try await storage.write(frees: true) { [users] writing in
                // A user may have got a token meanwhile.
                try part.flatMap { user in
                    try writing.removePushTokens(
                        of: try writing.endedBearers(of: user, at: now).filter { !users.isConfigured($0) })
                }
            }
            hub.close(gone)
        }
    }

    private static let usersOfStep = 50

    /// A notification without details: something may have happened.
    ///
    /// - Parameter isLast: Whether a subscription to a query has missed only its very last news. Then that news is
    ///   named.
    func hint(_ hint: StoredHint, _ token: StoredPushToken, isLast: Bool = false) -> PushNotification {
        let container = token.tenant.prefix { $0 != "/" }
        let subscription = hint.subscription
        let subject: PushNotification.Subject =
            if subscription.subscriptionType == .query {
                if isLast, let last = hint.last {
                    .record(
                        name: last.name, change: last.change,
                        zone: last.zone.map { ZoneID(zoneName: $0, ownerRecordName: hint.owner(of: token)) })
                } else {
                    .record(name: nil, change: nil, zone: nil)
                }
            } else {
                subscription.zoneID.map { .zone($0.bare) } ?? .database
            }
        return PushNotification(
            container: String(container), notificationID: random.uuid(), userRecordName: token.user,
            subscriptionID: subscription.subscriptionID, subject: subject, databaseScope: hint.scope)
    }
}

extension StoredHint {
    /// The owner of the subscription's zones, in the form for notifications.
    fileprivate func owner(of token: StoredPushToken) -> String {
        scope == DatabaseScope.public.rawValue ? DatabaseKey.publicOwner : token.user
    }
}

extension ZoneID {
    /// The zone in the form for notifications, without its type.
    var bare: ZoneID { ZoneID(zoneName: zoneName, ownerRecordName: ownerRecordName) }
}
