/// Body of `subscriptions/lookup`: fetches subscriptions by their names.
package struct SubscriptionsLookupRequest: Sendable, Hashable {
    /// The subscriptions to look up.
    package var subscriptionIDs: [String]

    /// Elements that could not be read, by their position in the request. ``subscriptionIDs`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(subscriptionIDs: [String]) {
        self.subscriptionIDs = subscriptionIDs
    }
}

extension SubscriptionsLookupRequest: WireDrafted {
    struct Draft: WireObject {
        var subscriptions: [Item] = []
        var malformed: [Int: MalformedItem<String>] = [:]

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.items(
                "subscriptions", &subscriptions, &malformed, named: [["subscriptionID"]],
                else: "subscriptions/lookup needs subscriptions")
        }
    }

    /// A subscription with its ID; other keys are ignored.
    struct Item: WireObject {
        var subscription = WireSubscription.Draft.blank

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            subscription.code(&keys)
            keys.check(
                subscription.subscriptionID != nil, else: "a subscription to look up needs a subscriptionID")
        }
    }

    var draft: Draft { Draft(subscriptions: subscriptionIDs.map { Item(subscription: .init(subscriptionID: $0)) }) }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        self.init(subscriptionIDs: draft.subscriptions.compactMap(\.subscription.subscriptionID))
        malformed = draft.malformed
    }
}
