import BackstitchSQL
import CloudWire

/// Subscriptions, and the firings of those to queries.
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
            INSERT INTO subscription (tenant_id, owner_id, "user", id, kind, zone, type, body)
            VALUES (\(owner.tenantID), \(owner.ownerID), \(user), \(subscription.subscriptionID),
                \(subscription.subscriptionType.rawValue), \(subscription.zoneID?.zoneName),
                \(subscription.query?.recordType), \(Array(try subscription.wireJSON())))
            ON CONFLICT (tenant_id, owner_id, "user", id)
            DO UPDATE SET kind = excluded.kind, zone = excluded.zone, type = excluded.type, body = excluded.body
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

    func subscription(_ owner: StoredOwner, user: String, id: String) throws -> WireSubscription? {
        try one(
            """
            SELECT body FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) AND id = \(id)
            """
        ) { try WireSubscription(wireJSON: $0.bytes(0)) }
    }

    /// Reads two halves: the subscriptions without a type, and those to queries by the index of types.
    ///
    /// A public database may have many subscriptions to queries. So a push examines only those of its own types.
    func concernedSubscriptions(
        _ owner: StoredOwner, zones: [String], types: [String], limit: Int
    ) throws -> ConcernedSubscriptions {
        var concerned = ConcernedSubscriptions()
        let inOwner: SQLText = "tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)"
        let inZones: SQLText = "zone IN (SELECT wanted FROM \(texts: try list(zones)))"
        let isOfType: SQLText = "\(inOwner) AND type = wanted AND (zone IS NULL OR \(inZones))"
        let text: SQLText = """
            SELECT "user", id, kind, zone, body FROM (
                SELECT "user", id, kind, zone, body FROM subscription
                WHERE \(inOwner) AND type IS NULL AND (kind = 'database' OR (kind = 'zone' AND \(inZones)))
                ORDER BY id LIMIT \(limit)) AS plain
            UNION ALL SELECT "user", id, kind, zone, body FROM (
                SELECT "user", id, kind, zone, body
                FROM \(texts: try list(types))\(lookUp: "subscription", by: "subscription_type", where: isOfType)
                ORDER BY id LIMIT \(QuerySubscriptionLimits.ofType * max(types.count, 1))) AS asking
            """
        try connection.forEachRow(of: text.statement(dialect)) { row in
            let user = row.text(0), id = row.text(1)
            switch WireSubscription.Kind(rawValue: row.text(2)) {
            case .query:
                let subscription = try WireSubscription(wireJSON: row.bytes(4))
                concerned.queries.append(StoredSubscription(user: user, subscription: subscription))
            case .zone:
                concerned.fired.append(FiredSubscription(user: user, subscriptionID: id, zone: row.optionalText(3)))
            case .database, nil: concerned.fired.append(FiredSubscription(user: user, subscriptionID: id))
            }
        }
        return concerned
    }

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

    func noteFirings(_ owner: StoredOwner, _ firings: [QueryFirings]) throws -> [Int64?] {
        let builder = SQLBulkBuilder(dialect, [.integer, .text, .text, .text, .integer, .integer, .text, .text])
        let statement = builder.update(
            "subscription",
            set: [
                "fired = subscription.fired + \(builder.value(0))", "fired_record = \(builder.value(1))",
                "fired_zone = \(builder.value(2))", "fired_change = \(builder.value(3))",
            ],
            where: "tenant_id = \(builder.value(4)) AND owner_id = \(builder.value(5)) "
                + "AND \"user\" = \(builder.value(6)) AND id = \(builder.value(7))")
        try runEach(statement, count: firings.count) { index, parameters in
            let last = firings[index].news.last
            parameters.bind(Int64(firings[index].news.count), at: 1)
            parameters.bind(last?.name, at: 2)
            parameters.bind(last?.zone, at: 3)
            parameters.bind(last?.change?.rawValue, at: 4)
            parameters.bind(owner.tenantID, at: 5)
            parameters.bind(owner.ownerID, at: 6)
            parameters.bind(firings[index].subscription.user, at: 7)
            parameters.bind(firings[index].subscription.subscription.subscriptionID, at: 8)
        }
        // The rows are locked until the commit, so firings of other servers are not counted yet.
        return try counts(of: firings, owner)
    }

    /// The number of firings of each of the subscriptions.
    private func counts(of firings: [QueryFirings], _ owner: StoredOwner) throws -> [Int64?] {
        let users = Set(firings.map(\.subscription.user)).sorted()
        let isOfUser: SQLText = """
            tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = wanted AND type IS NOT NULL
            """
        let text: SQLText = """
            SELECT "user", id, fired FROM \(texts: try list(users))\(lookUp: "subscription", where: isOfUser)
            """
        var counts: [[String]: Int64] = [:]
        try connection.forEachRow(of: text.statement(dialect)) { counts[[$0.text(0), $0.text(1)]] = $0.int(2) }
        return firings.map { counts[[$0.subscription.user, $0.subscription.subscription.subscriptionID]] }
    }

    func hints(for token: StoredPushToken, limit: Int) throws -> [StoredHint] {
        try all(
            """
            SELECT body, scope, fired_record, fired_zone, fired_change
            FROM subscription JOIN owner USING (tenant_id, owner_id)
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
