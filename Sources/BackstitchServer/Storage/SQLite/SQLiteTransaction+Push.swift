import CloudWire
import Foundation
import GRDB

extension SQLiteTransaction {
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription] {
        try all(
            "SELECT body FROM subscription WHERE tenant_id = ? AND owner_id = ? AND user = ? ORDER BY id",
            [owner.tenantID, owner.ownerID, user]
        ) { try WireSubscription(wireJSON: $0[0] as Data) }
    }

    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws {
        try execute(
            """
            INSERT INTO subscription (tenant_id, owner_id, user, id, kind, zone, body) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant_id, owner_id, user, id)
            DO UPDATE SET kind = excluded.kind, zone = excluded.zone, body = excluded.body
            """,
            [
                owner.tenantID, owner.ownerID, user, subscription.subscriptionID,
                subscription.subscriptionType.rawValue, subscription.zoneID?.zoneName,
                Data(try subscription.wireJSON()),
            ])
    }

    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool {
        try execute(
            "DELETE FROM subscription WHERE tenant_id = ? AND owner_id = ? AND user = ? AND id = ?",
            [owner.tenantID, owner.ownerID, user, id])
        return db.changesCount > 0
    }

    func pushToken(_ key: PushTokenKey) throws -> StoredPushToken? {
        try one(
            """
            SELECT tenant.name, user FROM push_token JOIN tenant USING (tenant_id)
            WHERE push_token.tenant_id = ? AND digest = ?
            """, [key.tenantID, Data(key.digest.bytes)]
        ) { StoredPushToken(key: key, tenant: $0[0], user: $0[1]) }
    }

    func putPushToken(_ token: StoredPushToken, seen: Int64) throws {
        try execute(
            """
            INSERT INTO push_token (tenant_id, digest, user, seen) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant_id, digest) DO UPDATE SET user = excluded.user, seen = excluded.seen
            """, [token.key.tenantID, Data(token.key.digest.bytes), token.user, seen])
    }

    func touchPushTokens(_ tokens: [PushTokenKey], seen: Int64) throws {
        for token in tokens {
            try execute(
                "UPDATE push_token SET seen = ? WHERE tenant_id = ? AND digest = ?",
                [seen, token.tenantID, Data(token.digest.bytes)])
        }
    }

    func removePushTokens(unseenSince time: Int64) throws {
        try execute("DELETE FROM push_token WHERE seen < ?", [time])
    }

    func recipients(_ owner: StoredOwner, zone: StoredZone) throws -> [PushRecipient] {
        try all(
            """
            SELECT push_token.digest, subscription.id, subscription.user, subscription.kind
            FROM subscription JOIN push_token
                ON push_token.tenant_id = subscription.tenant_id AND push_token.user = subscription.user
            WHERE subscription.tenant_id = ? AND subscription.owner_id = ?
                AND (subscription.kind = 'database' OR (subscription.kind = 'zone' AND subscription.zone = ?))
            ORDER BY subscription.id
            """, [owner.tenantID, owner.ownerID, zone.name]
        ) { row in
            PushRecipient(
                token: PushTokenKey(tenantID: owner.tenantID, digest: TokenDigest(bytes: Array(row[0] as Data))),
                subscriptionID: row[1], user: row[2],
                kind: WireSubscription.Kind(rawValue: row[3]) ?? .database)
        }
    }

    func hints(for token: StoredPushToken) throws -> [WireSubscription] {
        try all(
            "SELECT body FROM subscription WHERE tenant_id = ? AND user = ? ORDER BY id",
            [token.key.tenantID, token.user]
        ) { try WireSubscription(wireJSON: $0[0] as Data) }
    }
}
