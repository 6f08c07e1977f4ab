import BackstitchSQL
import CloudWire

/// The writes of subscriptions, and the firings of those to queries.
extension ZoneTransaction {
    /// Adds a subscription, or replaces the one with the same id.
    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws {
        let body = Array(try subscription.wireJSON()), mark = SubscriptionMark(subscription)
        try execute(
            """
            INSERT INTO subscription (tenant_id, owner_id, "user", id, kind, zone, type, body, mark, mark_field,
                marked_body)
            VALUES (\(owner.tenantID), \(owner.ownerID), \(user), \(subscription.subscriptionID),
                \(subscription.subscriptionType.rawValue), \(subscription.zoneID?.zoneName),
                \(subscription.query?.recordType), \(body), \(mark?.text), \(mark?.field),
                \(mark == nil ? [] : body))
            ON CONFLICT (tenant_id, owner_id, "user", id)
            DO UPDATE SET kind = excluded.kind, zone = excluded.zone, type = excluded.type, body = excluded.body,
                mark = excluded.mark, mark_field = excluded.mark_field, marked_body = excluded.marked_body
            """)
    }

    /// Removes a subscription; false if there was none.
    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool {
        try execute(
            """
            DELETE FROM subscription
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) AND id = \(id)
            """) > 0
    }

    /// Marks the query subscriptions from before there were marks.
    func markSubscriptions() throws {
        let owners = try all("SELECT DISTINCT tenant_id, owner_id FROM subscription WHERE type IS NOT NULL") {
            (tenantID: $0.int(0), ownerID: $0.int(1))
        }
        for owner in owners {
            let found = try all(
                """
                SELECT "user", body FROM subscription
                WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND type IS NOT NULL
                """
            ) { (user: $0.text(0), body: $0.bytes(1)) }
            for (user, body) in found {
                let subscription = try WireSubscription(wireJSON: body)
                guard let mark = SubscriptionMark(subscription) else { continue }
                try execute(
                    """
                    UPDATE subscription SET mark = \(mark.text), mark_field = \(mark.field), marked_body = body
                    WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user)
                        AND id = \(subscription.subscriptionID)
                    """)
            }
        }
    }

    /// Notes the firings of query subscriptions, for devices that wait at other servers.
    ///
    /// Returns the number of firings of each subscription so far; nil for a subscription that no longer exists.
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
        try forEachRow(of: text) { counts[[$0.text(0), $0.text(1)]] = $0.int(2) }
        return firings.map { counts[[$0.subscription.user, $0.subscription.subscription.subscriptionID]] }
    }
}
