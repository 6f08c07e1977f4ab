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

    func removePushTokens(unseenSince time: Int64, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM push_token WHERE (tenant_id, digest) IN (
                SELECT tenant_id, digest FROM push_token WHERE seen < ? LIMIT ?)
            """, [time, limit])
        return db.changesCount
    }

    func removePushTokens(of user: String, beyond limit: Int, keeping key: PushTokenKey) throws -> [PushTokenKey] {
        let digest = Data(key.digest.bytes)
        return try all(
            """
            DELETE FROM push_token WHERE tenant_id = ?1 AND digest IN (
                SELECT digest FROM push_token WHERE tenant_id = ?1 AND user = ?2
                ORDER BY digest = ?3 DESC, seen DESC LIMIT -1 OFFSET ?4)
            RETURNING digest
            """, [key.tenantID, user, digest, limit]
        ) { PushTokenKey(tenantID: key.tenantID, digest: TokenDigest(bytes: Array($0[0] as Data))) }
    }

    func removePushTokens(whereUser isGone: (String) -> Bool) throws -> [PushTokenKey] {
        let users: [String] = try all("SELECT DISTINCT user FROM push_token", []) { $0[0] }
        return try users.filter(isGone).flatMap { user in
            try all("DELETE FROM push_token WHERE user = ? RETURNING tenant_id, digest", [user]) { row in
                PushTokenKey(tenantID: row[0], digest: TokenDigest(bytes: Array(row[1] as Data)))
            }
        }
    }

    func firedSubscriptions(_ owner: StoredOwner, zones: [String], limit: Int) throws -> [FiredSubscription] {
        try all(
            """
            SELECT user, id, CASE kind WHEN 'zone' THEN zone END FROM subscription
            WHERE tenant_id = ? AND owner_id = ?
                AND (kind = 'database' OR (kind = 'zone' AND zone IN (SELECT value FROM json_each(?))))
            ORDER BY id LIMIT ?
            """, [owner.tenantID, owner.ownerID, try list(zones), limit]
        ) { FiredSubscription(user: $0[0], subscriptionID: $0[1], zone: $0[2]) }
    }

    func subscriptionCount(_ owner: StoredOwner, user: String) throws -> Int {
        try one(
            "SELECT count(*) FROM subscription WHERE tenant_id = ? AND owner_id = ? AND user = ?",
            [owner.tenantID, owner.ownerID, user]
        ) { $0[0] as Int } ?? 0
    }

    func pushTokens(tenantID: Int64, user: String, limit: Int) throws -> [PushTokenKey] {
        try all(
            "SELECT digest FROM push_token WHERE tenant_id = ? AND user = ? ORDER BY seen DESC, digest LIMIT ?",
            [tenantID, user, limit]
        ) { PushTokenKey(tenantID: tenantID, digest: TokenDigest(bytes: Array($0[0] as Data))) }
    }

    func hints(for token: StoredPushToken, limit: Int) throws -> [WireSubscription] {
        try all(
            "SELECT body FROM subscription WHERE tenant_id = ? AND user = ? ORDER BY id LIMIT ?",
            [token.key.tenantID, token.user, limit]
        ) { try WireSubscription(wireJSON: $0[0] as Data) }
    }
}
