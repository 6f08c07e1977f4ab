import CloudWire
import Foundation

/// A change of a zone and who must hear of it. Sent after the commit, never within.
struct Poke: Sendable {
    var zone: String
    var recipients: [PushRecipient]
}

extension ZoneService {
    /// Tells everybody but the device that made the changes.
    func post(_ pokes: [Poke], _ scope: RequestScope) {
        for poke in pokes {
            // All notifications of one change have the same name.
            let id = random.uuid()
            for recipient in poke.recipients where recipient.token != scope.device {
                let notification = PushNotification(
                    container: scope.container, notificationID: id, userRecordName: recipient.user,
                    subscriptionID: recipient.subscriptionID,
                    subject: recipient.kind == .zone ? .zone(scope.zoneID(poke.zone).bare) : .database,
                    databaseScope: scope.database.scope.rawValue)
                hub.post(notification, to: recipient.token)
            }
        }
    }

    /// `tokens/create`: a new push token for the caller's subscriptions.
    func createToken(_ request: PushToken, _ scope: RequestScope) async throws -> PushToken {
        let secret = random.bytes(32)
        let text = try await storage.write { writing in
            let owner = try writing.makeOwner(scope.database, epoch: random.identifier())
            let text = PushTokenText(tenantID: owner.tenantID, secret: secret)
            try writing.putPushToken(
                StoredPushToken(key: text.key, tenant: scope.database.tenant, user: scope.user),
                seen: clock.now())
            return text
        }
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
        try await storage.write { writing in
            guard var token = try writing.pushToken(text.key),
                token.tenant == scope.database.tenant
            else {
                throw WireError(.badRequest, "apnsToken is none of this server; make one with tokens/create")
            }
            token.user = scope.user
            try writing.putPushToken(token, seen: clock.now())
        }
        return EmptyBody()
    }

    /// Sees to it that a push token has a mailbox to wait at.
    ///
    /// - Throws: NOT_FOUND for a token that is none of this server.
    func openMailbox(token text: String) async throws -> PushTokenKey {
        guard let text = PushTokenText(text) else { throw WireError(.notFound, "unknown push token") }
        if !hub.knows(text.key) {
            let hints = try await storage.read { reading in
                guard let token = try reading.pushToken(text.key) else {
                    throw WireError(.notFound, "unknown push token")
                }
                return try reading.hints(for: token).map { hint($0, token) }
            }
            hub.open(text.key, with: hints)
        }
        return text.key
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
