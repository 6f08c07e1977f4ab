import Backstitch
import CloudWire

extension ZoneService {
    /// A query subscription as it is kept: the zone named, the changes in their order, nothing that says nothing.
    ///
    /// - Throws: BAD_REQUEST for a query that `records/query` would refuse, ACCESS_DENIED for a type of records that
    ///   the caller may not read.
    func checked(
        _ subscription: WireSubscription, _ scope: RequestScope, _ reading: any ZoneReading
    ) throws(WireError) -> WireSubscription {
        try Self.require([.private, .public], scope)
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
        try requireQueryable(plan, scope)
        try scope.require(.read, type: plan.type, creator: scope.user)
        checked.query?.sortBy = []
        if subscription.zoneID != nil || subscription.zoneWide != true {
            let place = try scope.place(of: subscription.zoneID)
            if !place.isDefault {
                _ = try find(place, try stored { try reading.owner(scope.database) }, scope, reading)
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

    /// The error about query subscriptions of which there are too many; nil when there are not.
    func excess(
        of subscription: WireSubscription, _ owner: StoredOwner, _ scope: RequestScope, _ reading: any ZoneReading
    ) throws -> WireError? {
        guard let type = subscription.query?.recordType, subscription.subscriptionType == .query else { return nil }
        let counts = try reading.querySubscriptionCounts(owner, user: scope.user, type: type)
        if counts.ofUser > QuerySubscriptionLimits.ofUser {
            return configuration.userQuotas.exceeded(
                "query subscriptions in a database", QuerySubscriptionLimits.ofUser)
        }
        guard counts.ofType > QuerySubscriptionLimits.ofType else { return nil }
        return WireError(
            .quotaExceeded,
            "records of type '\(type)' have \(QuerySubscriptionLimits.ofType) query subscriptions, and may have no more"
        )
    }

    /// The query subscriptions that fire for changes which have been committed. Those that fire once end here; where
    /// devices may wait at other servers, the news are noted for them.
    func fire(
        _ subscriptions: [StoredSubscription], for changes: [RecordChange], _ owner: StoredOwner,
        _ scope: RequestScope
    ) async throws -> [FiredSubscription] {
        let fitting = try await configuration.runner.run {
            var matcher = try QuerySubscriptionMatcher(changes, scope.roles, for: subscriptions)
            return try matcher.firings(of: subscriptions)
        }
        var found: [QueryFirings] = []
        for firings in fitting where try await users.knows(firings.subscription.user) { found.append(firings) }
        let mustNote = neighbours != nil || found.contains { $0.subscription.subscription.firesOnce == true }
        let told = mustNote && !found.isEmpty ? try await note(found, owner, scope) : found
        return told.flatMap(\.fired)
    }

    /// Ends those that fire once, and gives what is still to be told.
    private func note(
        _ found: [QueryFirings], _ owner: StoredOwner, _ scope: RequestScope
    ) async throws -> [QueryFirings] {
        let isShared = neighbours != nil
        return try await storage.write(for: scope.user, bytes: 0) { writing in
            var told: [QueryFirings] = [], lasting: [Int] = []
            for firings in found {
                let subscription = firings.subscription.subscription
                // One that was not tried to the end may fire still.
                guard subscription.firesOnce == true, firings.news != [.unnamed] else {
                    lasting.append(told.count)
                    told.append(firings)
                    continue
                }
                // Of two pushes at once the one that ends it tells of it.
                let isFirst = try writing.removeSubscription(
                    owner, user: firings.subscription.user, id: subscription.subscriptionID)
                if isFirst { told.append(firings) }
            }
            if isShared {
                let counts = try writing.noteFirings(owner, lasting.map { told[$0] })
                for (place, count) in zip(lasting, counts) { told[place].count = count }
            }
            return told
        }
    }
}
