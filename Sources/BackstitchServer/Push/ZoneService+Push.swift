import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging

/// A change of a zone, of which others must hear. Told after the commit, never within.
struct Poke: Sendable {
    var zone: String
    /// Subscriptions that have gone with the zone; the others are looked up when it is told.
    var fired: [FiredSubscription] = []
}

extension ZoneService {
    /// Tells every device of the users who subscribed, but the one that made the changes. Outside the writer, and with
    /// one look at the storage for all changes of a request.
    func post(_ pokes: [Poke], _ scope: RequestScope) async {
        if pokes.isEmpty { return }
        do {
            // All notifications of one request have the same name.
            let id = random.uuid()
            for (token, fired) in try await storage.read({ try addressees(of: pokes, scope, $0) }) {
                let notifications = fired.map { subscription in
                    PushNotification(
                        container: scope.container, notificationID: id, userRecordName: subscription.user,
                        subscriptionID: subscription.subscriptionID,
                        subject: subscription.zone.map { .zone(scope.zoneID($0).bare) } ?? .database,
                        databaseScope: scope.database.scope.rawValue)
                }
                hub.post(notifications, to: token)
            }
        } catch {
            // The change is made all the same; clients that are not told find it when they look.
            configuration.logger.error("nobody was told of a change: \(error)")
        }
    }

    /// The devices that must hear of changes, each once, with the subscriptions that fired for it.
    private func addressees(
        of pokes: [Poke], _ scope: RequestScope, _ reading: any ZoneReading
    ) throws -> [(PushTokenKey, [FiredSubscription])] {
        guard let owner = try reading.owner(scope.database) else { return [] }
        let quotas = configuration.userQuotas
        let now = try reading.firedSubscriptions(owner, zones: pokes.map(\.zone), limit: quotas.subscriptions)
        let fired = Dictionary(grouping: Set(now + pokes.flatMap(\.fired)), by: \.user)
        return try fired.flatMap { user, subscriptions in
            let sorted = subscriptions.sorted { $0.subscriptionID < $1.subscriptionID }.prefix(quotas.subscriptions)
            return try reading.pushTokens(tenantID: owner.tenantID, user: user, limit: quotas.pushTokens)
                .filter { $0 != scope.device }.map { ($0, Array(sorted)) }
        }
    }

    /// `tokens/create`: a new push token for the caller's subscriptions.
    func createToken(_ request: PushToken, _ scope: RequestScope) async throws -> PushToken {
        let secret = random.bytes(32)
        let (text, gone) = try await change(scope) { writing in
            let owner = try makeOwner(scope, writing)
            let text = PushTokenText(tenantID: owner.tenantID, secret: secret)
            try writing.putPushToken(
                StoredPushToken(key: text.key, tenant: scope.database.tenant, user: scope.user),
                seen: clock.milliseconds())
            return (text, try forgetOldTokens(of: scope.user, keeping: text.key, writing))
        }
        hub.close(gone)
        hub.open(text.key, with: [])
        return PushToken(
            apnsEnvironment: request.apnsEnvironment, apnsToken: text.text,
            webcourierURL: "\(scope.baseURL)/aps?tok=\(text.text)")
    }

    /// `tokens/register`: gives a push token to the caller.
    func registerToken(_ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        guard let text = request.apnsToken.flatMap(PushTokenText.init) else {
            throw WireError(.badRequest, "apnsToken is none of this server; make one with tokens/create")
        }
        let gone = try await change(scope) { writing in
            guard var token = try writing.pushToken(text.key),
                token.tenant == scope.database.tenant
            else {
                throw WireError(.badRequest, "apnsToken is none of this server; make one with tokens/create")
            }
            token.user = scope.user
            try writing.putPushToken(token, seen: clock.milliseconds())
            return try forgetOldTokens(of: scope.user, keeping: text.key, writing)
        }
        hub.close(gone)
        return EmptyBody()
    }

    /// A user has so many devices and no more: those are forgotten that were not in use for longest. One that comes
    /// back makes a new token.
    private func forgetOldTokens(
        of user: String, keeping key: PushTokenKey, _ writing: any ZoneWriting
    ) throws -> [PushTokenKey] {
        try writing.removePushTokens(of: user, beyond: configuration.userQuotas.pushTokens, keeping: key)
    }

    /// Sees to it that a push token has a mailbox to wait at.
    ///
    /// - Throws: NOT_FOUND for a token that is none of this server, or whose user is no longer known.
    func openMailbox(token text: String) async throws -> StoredPushToken {
        guard let text = PushTokenText(text) else { throw Self.unknownPushToken }
        let isNew = !hub.knows(text.key)
        let limit = configuration.userQuotas.subscriptions
        let (token, hints) = try await storage.read { [users] reading in
            guard let token = try reading.pushToken(text.key), users.knows(token.user) else {
                throw Self.unknownPushToken
            }
            return (token, isNew ? try reading.hints(for: token, limit: limit).map { hint($0, token) } : [])
        }
        if isNew { hub.open(text.key, with: hints) }
        return token
    }

    static var unknownPushToken: WireError { WireError(.notFound, "unknown push token") }

    /// Ends the push tokens of users who are no longer known, and the polls that wait with them.
    func removeStrangersPushTokens() async throws {
        if users.isDevelopment { return }
        let gone = try await storage.write { [users] writing in try writing.removePushTokens { !users.knows($0) } }
        hub.close(gone)
    }

    private func hint(_ subscription: WireSubscription, _ token: StoredPushToken) -> PushNotification {
        let container = token.tenant.prefix { $0 != "/" }
        return PushNotification(
            container: String(container), notificationID: random.uuid(), userRecordName: token.user,
            subscriptionID: subscription.subscriptionID,
            subject: subscription.zoneID.map { .zone($0.bare) } ?? .database)
    }
}

extension ZoneID {
    /// The zone as notifications name it, without its type.
    fileprivate var bare: ZoneID { ZoneID(zoneName: zoneName, ownerRecordName: ownerRecordName) }
}

/// A push token as clients hold it: the tenant, so that it can be looked up, and a secret.
struct PushTokenText: Sendable {
    let text: String
    let tenantID: Int64

    init(tenantID: Int64, secret: [UInt8]) {
        self.tenantID = tenantID
        text = "\(tenantID)-\(secret.base64URL)"
    }

    init?(_ text: String) {
        guard text.utf8.count < 100, let dash = text.firstIndex(of: "-"), let tenantID = Int64(text[..<dash]) else {
            return nil
        }
        self.text = text
        self.tenantID = tenantID
    }

    var key: PushTokenKey { PushTokenKey(tenantID: tenantID, digest: TokenDigest(of: text)) }
}
