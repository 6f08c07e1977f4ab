import Backstitch
import CloudWire

extension CloudClient {
    /// Returns the zone's present incarnation on the server.
    ///
    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` when there is no zone.
    func life() async throws -> ZoneLife {
        if let name = try await incarnation() { return .named(name) }
        // The subscription belongs to the main zone.
        let isMain = options.database == .private && zone.zoneName == options.zoneName
        return isMain ? try await subscriptionLife() : .unknown
    }

    /// Ensures that the subscription to the zone exists. Servers without subscriptions, and those that refuse one to a
    /// read-only token, are polled instead.
    ///
    /// - Parameter mark: The mark for this incarnation of the zone, if there is no subscription yet and the server
    ///   names none. It must be new for each incarnation, so no clock is used: a clock may stand or begin again.
    func subscribe(mark: String) async throws -> ZoneLife {
        if !hasExtensions, case .marked(let other) = try await subscriptionLife() { return .marked(other) }
        var info = WireSubscription.NotificationInfo(shouldSendContentAvailable: true)
        if !hasExtensions { info.category = mark }
        let subscription = WireSubscription(
            subscriptionID: options.subscriptions.zone, subscriptionType: .zone, zoneID: zone, notificationInfo: info)
        do {
            var error = try await modify(subscription, .create)
            // Without a mark, the subscription must only be for this zone: another zone's may have had its name before.
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

    /// Ensures that the subscription to the database exists. It notifies about changes in any of its zones. Servers
    /// without such subscriptions are polled instead.
    ///
    /// - Returns: ``ZoneLife/unknown``: this subscription is not deleted with the zone.
    func subscribeToDatabase() async throws -> ZoneLife {
        let subscription = WireSubscription(
            subscriptionID: options.subscriptions.database, subscriptionType: .database,
            notificationInfo: .init(shouldSendContentAvailable: true))
        do {
            if let error = try await modify(subscription, .create) {
                let failure = failure(of: error, .subscriptionsModify)
                // If the server refuses the subscription permanently, sync works without it.
                if failure.isTransient || failure.kind == .authentication { throw failure }
            }
        } catch let failure as SyncFailure where failure.isMissingEndpoint || failure.isDenied {
            // The server is polled.
        }
        return .unknown
    }

    /// Creates or changes the subscription; returns the server's error, if any.
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
            // A subscription of that name for another zone shows nothing about this one.
            guard subscription.zoneID?.zoneName == zone.zoneName else { return .unknown }
            return subscription.notificationInfo?.category.map(ZoneLife.marked) ?? .unknown
        case .error(_, let error)? where error.code == .notFound: return .unsubscribed
        case .deleted?: return .unsubscribed
        case .error, nil: return .unknown
        }
    }
}
