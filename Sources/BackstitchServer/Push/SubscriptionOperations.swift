import BackstitchSupport
import CloudWire

/// Subscriptions: making, finding and ending them.
struct SubscriptionOperations: Sendable {
    let server: ServerContext

    /// `subscriptions/list`: the caller's subscriptions in a database.
    func list(_ scope: RequestScope) async throws -> SubscriptionsResponse {
        let kept = try await subscriptions(scope)
        return SubscriptionsResponse(subscriptions: kept.map { .subscription($0) })
    }

    /// `subscriptions/lookup`: the caller's subscriptions with some IDs. Each ID is answered on its own.
    func lookup(
        _ request: SubscriptionsLookupRequest, _ scope: RequestScope
    ) async throws -> SubscriptionsResponse {
        try scope.checkCount(request.subscriptionIDs.count + request.malformed.count, of: "subscriptions")
        let kept = Dictionary(
            try await subscriptions(scope).map { (ByteText($0.subscriptionID), $0) }, uniquingKeysWith: { $1 })
        var repeats = RepeatedNames()
        let results: [SubscriptionResult] = request.subscriptionIDs.map { id in
            do throws(WireError) {
                try repeats.check(id, "subscription")
                guard let found = kept[ByteText(id)] else { throw WireError(.notFound, "Subscription not found") }
                return .subscription(found)
            } catch { return .error(subscriptionID: id, error) }
        }
        return SubscriptionsResponse(subscriptions: request.malformed.woven(into: results, Self.refusal))
    }

    /// The answer to a malformed element of a request.
    private static func refusal(_ item: MalformedItem<String>) -> SubscriptionResult {
        .error(subscriptionID: item.name ?? "", item.error)
    }

    /// `subscriptions/modify`: creates, changes and deletes subscriptions. Each operation is answered on its own.
    func modify(
        _ request: SubscriptionsModifyRequest, _ scope: RequestScope
    ) async throws -> SubscriptionsResponse {
        try scope.checkCount(request.operations.count + request.malformed.count, of: "operations")
        let results = try await perform(request.operations, scope)
        return SubscriptionsResponse(subscriptions: request.malformed.woven(into: results, Self.refusal))
    }

    private func perform(
        _ operations: [SubscriptionsModifyRequest.Operation], _ scope: RequestScope
    ) async throws -> [SubscriptionResult] {
        guard scope.mayWrite else {
            return operations.map { .error(subscriptionID: $0.subscription.subscriptionID, RequestScope.readsOnly) }
        }
        let frees = operations.allSatisfy { $0.operationType == .delete }
        return try await server.change(scope, frees: frees) { writing in
            try operations.map { operation in
                do throws(WireError) {
                    return try perform(operation, scope, writing)
                } catch {
                    return .error(subscriptionID: operation.subscription.subscriptionID, try error.ofItem())
                }
            }
        }
    }

    private func subscriptions(_ scope: RequestScope) async throws -> [WireSubscription] {
        try await server.storage.read { reading in
            try reading.owner(scope.database).map { try reading.subscriptions($0, user: scope.user) } ?? []
        }
    }

    private func perform(
        _ operation: SubscriptionsModifyRequest.Operation, _ scope: RequestScope, _ writing: ZoneTransaction
    ) throws(WireError) -> SubscriptionResult {
        var subscription = operation.subscription
        if operation.operationType == .delete {
            guard RecordRules.isValidUser(subscription.subscriptionID) else {
                throw WireError(.notFound, "Subscription not found")
            }
            let isRemoved = try WireError.storage {
                try writing.owner(scope.database).map {
                    try writing.removeSubscription($0, user: scope.user, id: subscription.subscriptionID)
                } ?? false
            }
            guard isRemoved else { throw WireError(.notFound, "Subscription not found") }
            return .deleted(subscriptionID: subscription.subscriptionID)
        }
        if subscription.subscriptionID.isEmpty { subscription.subscriptionID = server.random.uuid() }
        guard RecordRules.isValidUser(subscription.subscriptionID) else {
            throw WireError(.badRequest, "subscriptionID must be 1 to 255 bytes without control characters")
        }
        switch subscription.subscriptionType {
        case .query: subscription = try checked(subscription, scope, writing)
        case .database:
            try scope.requireDatabase(in: [.private, .shared])
            subscription.zoneID = nil
            subscription.forgetQuery()
        case .zone:
            try scope.requireDatabase(in: [.private])
            guard let zoneID = subscription.zoneID else {
                throw WireError(.badRequest, "a zone subscription needs a zoneID")
            }
            let place = try scope.place(of: zoneID)
            if !place.isDefault {
                let owner = try WireError.storage { try writing.owner(scope.database) }
                _ = try scope.requireZone(at: place, owner, writing)
            }
            subscription.zoneID = scope.zoneID(place)
            subscription.forgetQuery()
        }
        try RecordRules.requireSize(of: subscription)
        try keep(subscription, operation.operationType, scope, writing)
        return .subscription(subscription)
    }

    /// Writes a subscription. Refuses it if there is none to update, if another one has its ID, or if there is no room.
    private func keep(
        _ subscription: WireSubscription, _ kind: SubscriptionsModifyRequest.Operation.Kind, _ scope: RequestScope,
        _ writing: ZoneTransaction
    ) throws(WireError) {
        let id = subscription.subscriptionID
        let fault: WireError? = try WireError.storage {
            let owner = try server.makeOwner(scope, writing)
            let before = try writing.subscription(owner, user: scope.user, id: id)
            if kind == .update, before == nil { return WireError(.notFound, "Subscription not found") }
            if let before, try before.wireJSON() == subscription.wireJSON() { return nil }
            if kind == .create, before != nil {
                return WireError(.exists, "subscription '\(id)' exists already with other content; update it")
            }
            try writing.putSubscription(owner, user: scope.user, subscription)
            let quotas = server.configuration.userQuotas
            var excess = try excess(of: subscription, owner, scope, writing)
            if before == nil, try writing.subscriptionCount(owner, user: scope.user) > quotas.subscriptions {
                excess = quotas.exceeded("subscriptions in a database", quotas.subscriptions)
            }
            guard let excess else { return nil }
            // There is no room for it, as is known only now. So the write is undone.
            if let before {
                try writing.putSubscription(owner, user: scope.user, before)
            } else {
                _ = try writing.removeSubscription(owner, user: scope.user, id: id)
            }
            return excess
        }
        if let fault { throw fault }
    }
}

extension WireSubscription {
    /// Removes everything that only a subscription to a query has.
    fileprivate mutating func forgetQuery() {
        query = nil
        zoneWide = nil
        firesOn = nil
        firesOnce = nil
    }
}
