import Backstitch
import CloudWire

extension CloudClient {
    /// Which life of the zone the server has now.
    ///
    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` when there is no zone.
    func life() async throws -> ZoneLife {
        if let name = try await incarnation() { return .named(name) }
        // The subscription is one to the main zone.
        let isMain = options.database == .private && zone.zoneName == options.zoneName
        return isMain ? try await subscriptionLife() : .unknown
    }

    /// Sees to it that there is the subscription to the zone. Servers without subscriptions, and those that refuse one
    /// to a token which only reads, are polled instead.
    ///
    /// - Parameter mark: The mark of this life of the zone, where nobody has subscribed yet and the server names none.
    ///   No other life has had it: a clock may stand, or begin anew.
    func subscribe(mark: String) async throws -> ZoneLife {
        if !hasExtensions, case .marked(let other) = try await subscriptionLife() { return .marked(other) }
        var info = WireSubscription.NotificationInfo(shouldSendContentAvailable: true)
        if !hasExtensions { info.category = mark }
        let subscription = WireSubscription(
            subscriptionID: options.subscriptions.zone, subscriptionType: .zone, zoneID: zone, notificationInfo: info)
        do {
            var error = try await modify(subscription, .create)
            // Without a mark it matters only that it is for this zone: the program may have given the name to another
            // zone's before.
            if error?.code == .exists, hasExtensions { error = try await modify(subscription, .update) }
            if let error, error.code != .exists, error.code != .accessDenied {
                throw failure(of: error, .subscriptionsModify)
            }
        } catch let failure as SyncFailure where failure.isMissingEndpoint || failure.isDenied {
            return .unknown
        }
        // Another device may have been first.
        return hasExtensions ? .unknown : try await subscriptionLife()
    }

    /// Sees to it that there is the subscription to the database, which tells of changes in any of its zones. Servers
    /// that have none are polled instead.
    ///
    /// - Returns: ``ZoneLife/unknown``: the subscription does not go with the zone.
    func subscribeToDatabase() async throws -> ZoneLife {
        let subscription = WireSubscription(
            subscriptionID: options.subscriptions.database, subscriptionType: .database,
            notificationInfo: .init(shouldSendContentAvailable: true))
        do {
            if let error = try await modify(subscription, .create) {
                let failure = failure(of: error, .subscriptionsModify)
                // A subscription that it does not take for good is done without.
                if failure.isTransient || failure.kind == .authentication { throw failure }
            }
        } catch let failure as SyncFailure where failure.isMissingEndpoint || failure.isDenied {
            // It is polled.
        }
        return .unknown
    }

    /// Makes or changes the subscription; gives why not.
    private func modify(
        _ subscription: WireSubscription, _ kind: SubscriptionsModifyRequest.Operation.Kind
    ) async throws -> WireError? {
        let response = try await call(
            .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(kind, subscription)]),
            as: SubscriptionsResponse.self)
        return if case .error(_, let error)? = response.subscriptions.first { error } else { nil }
    }

    private func subscriptionLife() async throws -> ZoneLife {
        let response: SubscriptionsResponse
        do {
            response = try await call(
                .subscriptionsLookup, SubscriptionsLookupRequest(subscriptionIDs: [options.subscriptions.zone]),
                as: SubscriptionsResponse.self)
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return .unknown
        }
        switch response.subscriptions.first {
        case .subscription(let subscription)?:
            // One of that name for another zone says nothing of this one.
            guard subscription.zoneID?.zoneName == zone.zoneName else { return .unknown }
            return subscription.notificationInfo?.category.map(ZoneLife.marked) ?? .unknown
        case .error(_, let error)? where error.code == .notFound: return .unsubscribed
        case .deleted?: return .unsubscribed
        case .error, nil: return .unknown
        }
    }
}
