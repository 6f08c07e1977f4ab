import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Push tokens with the state of their users' subscriptions.
extension ZoneSnapshot {
    /// All push tokens of some users, with the state of their subscriptions. One statement for the tokens and one for
    /// the subscriptions.
    ///
    /// All tokens of a user share the state of the user's subscriptions. So the number of rows is the sum of both.
    ///
    /// Complexity: O(*t* + *s*) for *t* tokens and *s* subscriptions.
    func watches(ofUsers users: [String]) throws -> [StoredWatch] {
        let tokens = try tokens(ofUsers: users)
        guard !tokens.isEmpty else { return [] }
        let heads = try heads(ofUsers: users)
        return tokens.map { token in
            let holder = StoredWatch.Holder(tenantID: token.key.tenantID, user: ByteText(token.user))
            return StoredWatch(token: token, heads: heads[holder] ?? [:])
        }
    }

    /// The push tokens of some users. The index begins with the tenant, so it is read for each tenant; there are few.
    private func tokens(ofUsers users: [String]) throws -> [StoredPushToken] {
        let isOfUser: SQLText = "push_token.tenant_id = tenant.tenant_id AND push_token.\"user\" = wanted"
        return try all(
            """
            SELECT push_token.tenant_id, digest, push_token."user", tenant.name
            FROM \(texts: try list(users)) CROSS JOIN tenant\(lookUp: "push_token", where: isOfUser)
            """
        ) { row in
            let key = PushTokenKey(tenantID: row.int(0), digest: TokenDigest(bytes: row.bytes(1)))
            return StoredPushToken(key: key, tenant: row.text(3), user: row.text(2))
        }
    }

    /// The state of all subscriptions of some users.
    private func heads(ofUsers users: [String]) throws -> [StoredWatch.Holder: [StoredWatch.Key: StoredWatch.Head]] {
        var heads: [StoredWatch.Holder: [StoredWatch.Key: StoredWatch.Head]] = [:]
        let isOfUser: SQLText = "subscription.tenant_id = tenant.tenant_id AND subscription.\"user\" = wanted"
        let text: SQLText = """
            SELECT subscription.tenant_id, subscription."user", subscription.owner_id, subscription.id,
                subscription.zone, CASE WHEN subscription.kind = 'database' THEN owner.head ELSE 0 END, zone.head,
                zone.epoch, subscription.kind, subscription.fired, owner.scope
            FROM (
                SELECT subscription.*
                FROM \(texts: try list(users)) CROSS JOIN tenant\(lookUp: "subscription", by: "subscription_user", where: isOfUser)
            ) AS subscription
            LEFT JOIN owner ON owner.tenant_id = subscription.tenant_id AND owner.owner_id = subscription.owner_id
            LEFT JOIN zone ON zone.tenant_id = subscription.tenant_id AND zone.owner_id = subscription.owner_id
                AND zone.name = coalesce(subscription.zone, \(ZoneID.defaultZoneName))
            """
        try forEachRow(of: text) { row in
            let holder = StoredWatch.Holder(tenantID: row.int(0), user: ByteText(row.text(1)))
            let key = StoredWatch.Key(ownerID: row.int(2), id: row.text(3))
            heads[holder, default: [:]][key] = Self.head(row)
        }
        return heads
    }

    /// Reads the state of one subscription.
    private static func head(_ row: any SQLRow) -> StoredWatch.Head {
        var head = StoredWatch.Head(
            database: row.int(5), zone: row.int(6), epoch: row.int(7), zoneName: row.optionalText(4))
        head.scope = Int(row.int(10))
        // A query subscription fires only for some changes of its zone, so its firings are compared.
        if row.optionalText(8) == WireSubscription.Kind.query.rawValue {
            (head.zone, head.epoch, head.zoneName, head.firings) = (0, 0, nil, row.int(9))
        }
        return head
    }
}
