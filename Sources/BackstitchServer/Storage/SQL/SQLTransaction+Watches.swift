import BackstitchSQL
import CloudWire

extension SQLTransaction {
    /// By tenants and users, as the index of push tokens goes; there are few tenants.
    func watches(ofUsers users: [String]) throws -> [StoredWatch] {
        var watches: [PushTokenKey: StoredWatch] = [:]
        let text: SQLText = """
            SELECT push_token.tenant_id, digest, push_token."user", tenant.name, subscription.owner_id, subscription.id,
                subscription.zone, CASE WHEN subscription.kind = 'database' THEN owner.head ELSE 0 END, zone.head,
                zone.epoch, subscription.kind, subscription.fired, owner.scope
            FROM tenant JOIN push_token ON push_token.tenant_id = tenant.tenant_id
            LEFT JOIN subscription ON subscription.tenant_id = push_token.tenant_id
                AND subscription."user" = push_token."user"
            LEFT JOIN owner ON owner.tenant_id = subscription.tenant_id AND owner.owner_id = subscription.owner_id
            LEFT JOIN zone ON zone.tenant_id = subscription.tenant_id AND zone.owner_id = subscription.owner_id
                AND zone.name = coalesce(subscription.zone, \(ZoneID.defaultZoneName))
            WHERE push_token."user" IN (SELECT wanted FROM \(texts: try list(users)))
            """
        try connection.forEachRow(of: text.statement(dialect)) { row in
            let key = PushTokenKey(tenantID: row.int(0), digest: TokenDigest(bytes: row.bytes(1)))
            let token = StoredPushToken(key: key, tenant: row.text(3), user: row.text(2))
            var head = StoredWatch.Head(
                database: row.int(7), zone: row.int(8), epoch: row.int(9), zoneName: row.optionalText(6))
            head.scope = Int(row.int(12))
            // A query subscription fires for some changes of its zone only.
            if row.optionalText(10) == WireSubscription.Kind.query.rawValue {
                (head.zone, head.epoch, head.zoneName, head.firings) = (0, 0, nil, row.int(11))
            }
            let subscription = row.isNull(4) ? nil : StoredWatch.Key(ownerID: row.int(4), id: row.text(5))
            if watches[key] == nil { watches[key] = StoredWatch(token: token) }
            if let subscription { watches[key]?.heads[subscription] = head }
        }
        return Array(watches.values)
    }
}
