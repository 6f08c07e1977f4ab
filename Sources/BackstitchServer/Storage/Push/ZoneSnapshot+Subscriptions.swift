import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Subscriptions, and those that changes concern.
extension ZoneSnapshot {
    /// All subscriptions of a user in a database.
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription] {
        try all(
            """
            SELECT body FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) ORDER BY id
            """
        ) { try WireSubscription(wireJSON: $0.bytes(0)) }
    }

    /// The number of subscriptions of a user in a database.
    func subscriptionCount(_ owner: StoredOwner, user: String) throws -> Int {
        try one(
            """
            SELECT count(*) FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user)
            """
        ) { Int($0.int(0)) } ?? 0
    }

    /// The subscription of a user with this id.
    func subscription(_ owner: StoredOwner, user: String, id: String) throws -> WireSubscription? {
        try one(
            """
            SELECT body FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) AND id = \(id)
            """
        ) { try WireSubscription(wireJSON: $0.bytes(0)) }
    }

    /// The subscriptions concerned by changes of these zones. These are all subscriptions to the zones and the
    /// database, the query subscriptions for these record types without a ``SubscriptionMark``, and the fields of the
    /// marks of the others. One statement.
    ///
    /// Reads three parts: the subscriptions without a type, those to queries without a mark, and the fields of marks.
    ///
    /// A public database may have many subscriptions to queries. So a push examines only those of its own types, and
    /// finds the marked ones by their marks. The fields are found one by one, each by one look-up behind the one
    /// before.
    ///
    /// - Parameter limit: The maximum number of subscriptions to zones and to the database.
    func concernedSubscriptions(
        _ owner: StoredOwner, zones: [String], types: [String], limit: Int
    ) throws -> ConcernedSubscriptions {
        var concerned = ConcernedSubscriptions()
        let inOwner: SQLText = "tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)"
        let inZones: SQLText = "zone IN (SELECT wanted FROM \(texts: try list(zones)))"
        let isUnmarked: SQLText = """
            \(inOwner) AND type = wanted AND (mark IS NULL OR marked_body <> body) AND (zone IS NULL OR \(inZones))
            """
        let changed = Set(zones.map { ByteText($0) }).map(\.string)
        let isOfZone: SQLText = "\(inOwner) AND type IS NULL AND kind = 'zone' AND zone = wanted"
        let text: SQLText = """
            SELECT "user", id, kind, zone, body FROM (
                SELECT "user", id, kind, zone, body FROM subscription\(by: "subscription_plain")
                WHERE \(inOwner) AND type IS NULL AND kind = 'database'
                UNION ALL SELECT "user", id, kind, zone, body
                FROM \(texts: try list(changed))\(lookUp: "subscription", by: "subscription_plain", where: isOfZone)
                ORDER BY id LIMIT \(limit)) AS plain
            UNION ALL SELECT "user", id, kind, zone, body FROM (
                SELECT "user", id, kind, zone, body
                FROM \(texts: try list(types))\(lookUp: "subscription", by: "subscription_unmarked", where: isUnmarked)
                ORDER BY id LIMIT \(QuerySubscriptionLimits.ofType * max(types.count, 1))) AS asking
            UNION ALL SELECT type, field, '\(names: Self.kindOfField)', NULL, NULL FROM (
                WITH RECURSIVE asked(type, field) AS (
                    SELECT wanted, (
                        SELECT mark_field FROM subscription
                        WHERE \(inOwner) AND type = wanted AND mark_field IS NOT NULL ORDER BY mark_field LIMIT 1)
                    FROM \(texts: try list(types))
                    UNION ALL SELECT asked.type, (
                        SELECT mark_field FROM subscription
                        WHERE \(inOwner) AND type = asked.type AND mark_field > asked.field
                        ORDER BY mark_field LIMIT 1)
                    FROM asked WHERE asked.field IS NOT NULL)
                SELECT type, field FROM asked WHERE field IS NOT NULL) AS fields
            """
        try forEachRow(of: text) { row in
            let user = row.text(0), id = row.text(1), kind = row.text(2)
            switch WireSubscription.Kind(rawValue: kind) {
            case .query:
                let subscription = try WireSubscription(wireJSON: row.bytes(4))
                concerned.queries.append(StoredSubscription(user: user, subscription: subscription))
            case .zone:
                concerned.fired.append(FiredSubscription(user: user, subscriptionID: id, zone: row.optionalText(3)))
            case nil where kind == Self.kindOfField: concerned.fields.append(MarkedField(type: user, name: id))
            case .database, nil: concerned.fired.append(FiredSubscription(user: user, subscriptionID: id))
            }
        }
        return concerned
    }

    /// The kind of the rows that name fields of marks.
    private static let kindOfField = "field"

    /// The query subscriptions with one of these marks. One statement.
    func markedSubscriptions(
        _ owner: StoredOwner, zones: [String], marks: [String]
    ) throws -> [StoredSubscription] {
        let isMarked: SQLText = """
            tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND mark = wanted AND marked_body = body
            AND (zone IS NULL OR zone IN (SELECT wanted FROM \(texts: try list(zones))))
            """
        return try all(
            """
            SELECT "user", body FROM (
                SELECT "user", id, body
                FROM \(texts: try list(marks))\(lookUp: "subscription", by: "subscription_mark", where: isMarked)
                ORDER BY id LIMIT \(QuerySubscriptionLimits.marked)) AS marked
            """
        ) { StoredSubscription(user: $0.text(0), subscription: try WireSubscription(wireJSON: $0.bytes(1))) }
    }

    /// All query subscriptions for these record types that have a mark. One statement.
    func markedSubscriptions(
        _ owner: StoredOwner, zones: [String], types: [String]
    ) throws -> [StoredSubscription] {
        let isMarked: SQLText = """
            tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND type = wanted AND marked_body = body
            AND mark IS NOT NULL AND (zone IS NULL OR zone IN (SELECT wanted FROM \(texts: try list(zones))))
            """
        return try all(
            """
            SELECT "user", body FROM (
                SELECT "user", id, body
                FROM \(texts: try list(types))\(lookUp: "subscription", by: "subscription_type", where: isMarked)
                ORDER BY id LIMIT \(QuerySubscriptionLimits.ofType * max(types.count, 1))) AS marked
            """
        ) { StoredSubscription(user: $0.text(0), subscription: try WireSubscription(wireJSON: $0.bytes(1))) }
    }

    /// The number of query subscriptions of a user in a database, and the number of all users' query subscriptions for
    /// one record type there.
    func querySubscriptionCounts(
        _ owner: StoredOwner, user: String, type: String
    ) throws -> (ofUser: Int, ofType: Int) {
        let inOwner: SQLText = "tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)"
        return try one(
            """
            SELECT (SELECT count(*) FROM subscription WHERE \(inOwner) AND "user" = \(user) AND type IS NOT NULL),
                (SELECT count(*) FROM subscription WHERE \(inOwner) AND type = \(type))
            """
        ) { (Int($0.int(0)), Int($0.int(1))) } ?? (0, 0)
    }

    /// The subscriptions that send notifications to a push token. A subscription to a zone names its zone.
    func hints(for token: StoredPushToken, limit: Int) throws -> [StoredHint] {
        try all(
            """
            SELECT body, scope, fired_record, fired_zone, fired_change
            FROM subscription\(by: "subscription_user") JOIN owner USING (tenant_id, owner_id)
            WHERE tenant_id = \(token.key.tenantID) AND "user" = \(token.user) ORDER BY id LIMIT \(limit)
            """
        ) { row in
            var hint = StoredHint(subscription: try WireSubscription(wireJSON: row.bytes(0)), scope: Int(row.int(1)))
            if let name = row.optionalText(2), let zone = row.optionalText(3),
                let change = row.optionalText(4).flatMap(WireSubscription.Change.init)
            {
                hint.last = RecordFiring(name: name, change: change, zone: zone)
            }
            return hint
        }
    }
}
