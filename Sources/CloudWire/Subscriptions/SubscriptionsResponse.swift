/// Body of the answers of `subscriptions/list`, `subscriptions/lookup` and `subscriptions/modify`.
package struct SubscriptionsResponse: Sendable, Hashable {
    /// The subscriptions; for a look-up or modification, in the order of the request.
    package var subscriptions: [SubscriptionResult]

    package init(subscriptions: [SubscriptionResult]) {
        self.subscriptions = subscriptions
    }
}

extension SubscriptionsResponse: WireObject {
    static var blank: Self { Self(subscriptions: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("subscriptions", &subscriptions) }
}
