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

    func pushToken(tenantID: Int64, digest: TokenDigest) throws -> StoredPushToken? {
        try one(
            """
            SELECT tenant.name, user FROM push_token JOIN tenant USING (tenant_id)
            WHERE push_token.tenant_id = ? AND digest = ?
            """, [tenantID, Data(digest.bytes)]
        ) { StoredPushToken(tenant: $0[0], tenantID: tenantID, digest: digest, user: $0[1]) }
    }

    func putPushToken(_ token: StoredPushToken, created: Int64) throws {
        try execute(
            """
            INSERT INTO push_token (tenant_id, digest, user, created) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant_id, digest) DO UPDATE SET user = excluded.user
            """, [token.tenantID, Data(token.digest.bytes), token.user, created])
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
                token: TokenDigest(bytes: Array(row[0] as Data)), subscriptionID: row[1], user: row[2],
                kind: WireSubscription.Kind(rawValue: row[3]) ?? .database)
        }
    }

    func hints(for token: StoredPushToken) throws -> [WireSubscription] {
        try all(
            "SELECT body FROM subscription WHERE tenant_id = ? AND user = ? ORDER BY id", [token.tenantID, token.user]
        ) { try WireSubscription(wireJSON: $0[0] as Data) }
    }
}
