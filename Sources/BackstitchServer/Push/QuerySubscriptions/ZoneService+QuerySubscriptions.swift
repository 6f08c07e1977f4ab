import Backstitch
import BackstitchSupport
import CloudWire

extension ZoneService {
    /// Checks a query subscription, and returns it in its stored form: with a named zone, ordered changes, and no
    /// redundant parts.
    ///
    /// - Throws: BAD_REQUEST for a query that `records/query` would refuse, ACCESS_DENIED if the caller may not read
    ///   the type of records.
    func checked(
        _ subscription: WireSubscription, _ scope: RequestScope, _ reading: ZoneSnapshot
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

    /// The error about too many query subscriptions; nil if there are not too many.
    func excess(
        of subscription: WireSubscription, _ owner: StoredOwner, _ scope: RequestScope, _ reading: ZoneSnapshot
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

    /// The query subscriptions that fire for committed changes. Those that fire once end here. If devices may wait at
    /// other servers, the news is noted for them.
    func fire(
        _ concerned: ConcernedSubscriptions, for push: StagedPush, _ owner: StoredOwner
    ) async throws -> [FiredSubscription] {
        let types = Set(concerned.types.map { ByteText($0) })
        let (changes, marks) = try await configuration.runner.run {
            let changes = try ChangedRecords(push.changes, ofTypes: types)
            return (changes, changes.marks(of: concerned.fields))
        }
        let subscriptions = concerned.queries + (try await marked(concerned, marks, push, owner))
        let fitting = try await configuration.runner.run {
            var matcher = QuerySubscriptionMatcher(changes, push.scope.roles)
            matcher.allow(forRequests: push.requests)
            return try matcher.firings(of: subscriptions)
        }
        var found: [QueryFirings] = []
        for firings in fitting where try await users.knows(firings.subscription.user) { found.append(firings) }
        let mustNote = peers != nil || found.contains { $0.subscription.subscription.firesOnce == true }
        let told = mustNote && !found.isEmpty ? try await note(found, owner, push.scope) : found
        return told.flatMap(\.fired)
    }

    /// The query subscriptions with these marks.
    ///
    /// - Parameter marks: Nil for all subscriptions that have one.
    private func marked(
        _ concerned: ConcernedSubscriptions, _ marks: Set<SubscriptionMark>?, _ push: StagedPush, _ owner: StoredOwner
    ) async throws -> [StoredSubscription] {
        if concerned.fields.isEmpty || marks?.isEmpty == true { return [] }
        let zones = push.zones.map(\.string), types = Set(concerned.fields.map { ByteText($0.type) })
        return try await storage.read { reading in
            if let marks {
                return try reading.markedSubscriptions(owner, zones: zones, marks: marks.map(\.text).sorted())
            }
            return try reading.markedSubscriptions(owner, zones: zones, types: types.sorted().map(\.string))
        }
    }

    /// Ends the subscriptions that fire once, and returns the news still to be told.
    private func note(
        _ found: [QueryFirings], _ owner: StoredOwner, _ scope: RequestScope
    ) async throws -> [QueryFirings] {
        let isShared = peers != nil
        return try await storage.write(for: scope.user, bytes: 0) { writing in
            var told: [QueryFirings] = [], lasting: [Int] = []
            for firings in found {
                let subscription = firings.subscription.subscription
                // A subscription that was not tried on all records may still fire.
                guard subscription.firesOnce == true, firings.news != [.unnamed] else {
                    lasting.append(told.count)
                    told.append(firings)
                    continue
                }
                // If two pushes fire it at once, the one that ends it tells of it.
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
