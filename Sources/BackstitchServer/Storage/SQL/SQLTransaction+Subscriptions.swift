import BackstitchSQL
import CloudWire

extension SQLTransaction {
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription] {
        try all(
            """
            SELECT body FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) ORDER BY id
            """
        ) { try WireSubscription(wireJSON: $0.bytes(0)) }
    }

    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws {
        try execute(
            """
            INSERT INTO subscription (tenant_id, owner_id, "user", id, kind, zone, body)
            VALUES (\(owner.tenantID), \(owner.ownerID), \(user), \(subscription.subscriptionID),
                \(subscription.subscriptionType.rawValue), \(subscription.zoneID?.zoneName),
                \(Array(try subscription.wireJSON())))
            ON CONFLICT (tenant_id, owner_id, "user", id)
            DO UPDATE SET kind = excluded.kind, zone = excluded.zone, body = excluded.body
            """)
    }

    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool {
        try execute(
            """
            DELETE FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) AND id = \(id)
            """) > 0
    }

    func subscriptionCount(_ owner: StoredOwner, user: String) throws -> Int {
        try one(
            """
            SELECT count(*) FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user)
            """
        ) { Int($0.int(0)) } ?? 0
    }

    func firedSubscriptions(_ owner: StoredOwner, zones: [String], limit: Int) throws -> [FiredSubscription] {
        try all(
            """
            SELECT "user", id, CASE kind WHEN 'zone' THEN zone END FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND (kind = 'database'
                OR (kind = 'zone' AND zone IN (SELECT wanted FROM \(texts: try list(zones)))))
            ORDER BY id LIMIT \(limit)
            """
        ) { FiredSubscription(user: $0.text(0), subscriptionID: $0.text(1), zone: $0.optionalText(2)) }
    }

    func hints(for token: StoredPushToken, limit: Int) throws -> [WireSubscription] {
        try all(
            """
            SELECT body FROM subscription WHERE tenant_id = \(token.key.tenantID) AND "user" = \(token.user)
            ORDER BY id LIMIT \(limit)
            """
        ) { try WireSubscription(wireJSON: $0.bytes(0)) }
    }
}
