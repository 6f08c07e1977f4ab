import Backstitch
import BackstitchSupport
import CloudWire

extension SubscriptionOperations {
    /// Checks a query subscription, and returns it in its stored form: with a named zone, ordered changes, and no
    /// redundant parts.
    ///
    /// - Throws: BAD_REQUEST for a query that `records/query` would refuse, ACCESS_DENIED if the caller may not read
    ///   the type of records.
    func checked(
        _ subscription: WireSubscription, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws(WireError) -> WireSubscription {
        try scope.requireDatabase(in: [.private, .public])
        let shown = subscription.notificationInfo?.alertLocalizationArgs?.count ?? 0
        guard shown <= QuerySubscriptionLimits.arguments else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): subscription '\(subscription.subscriptionID)' has \(shown) "
                    + "alertLocalizationArgs, at most \(QuerySubscriptionLimits.arguments) of a query subscription")
        }
        var checked = subscription
        guard let query = subscription.query else {
            throw WireError(.badRequest, "a query subscription needs a query")
        }
        let plan = try QueryPlan(query, isWide: false)
        try plan.requireQueryable(server.configuration.queryIndexes, scope)
        try scope.require(.read, type: plan.type, creator: scope.user)
        checked.query?.sortBy = []
        if subscription.zoneID != nil || subscription.zoneWide != true {
            let place = try scope.place(of: subscription.zoneID)
            if !place.isDefault {
                _ = try scope.requireZone(
                    at: place, try WireError.storage { try reading.owner(scope.database) }, reading)
            }
            checked.zoneID = scope.zoneID(place)
            checked.zoneWide = nil
        }
        let changes = Set(subscription.firesOn ?? WireSubscription.Change.allCases)
        guard !changes.isEmpty else {
            throw WireError(.badRequest, "firesOn must have create, update or delete; leave it out for all")
        }
        checked.firesOn = WireSubscription.Change.allCases.filter(changes.contains)
        if subscription.firesOnce != true { checked.firesOnce = nil }
        return checked
    }

    /// The error about too many query subscriptions; nil if there are not too many.
    func excess(
        of subscription: WireSubscription, _ owner: StoredOwner, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws -> WireError? {
        guard let type = subscription.query?.recordType, subscription.subscriptionType == .query else { return nil }
        let counts = try reading.querySubscriptionCounts(owner, user: scope.user, type: type)
        if counts.ofUser > QuerySubscriptionLimits.ofUser {
            return server.configuration.userQuotas.exceeded(
                "query subscriptions in a database", QuerySubscriptionLimits.ofUser)
        }
        guard counts.ofType > QuerySubscriptionLimits.ofType else { return nil }
        return WireError(
            .quotaExceeded,
            "records of type '\(type)' have \(QuerySubscriptionLimits.ofType) query subscriptions, and may have no more"
        )
    }
}
