/// Body of `subscriptions/lookup`.
public struct SubscriptionsLookupRequest: Sendable, Hashable {
    /// The subscriptions to look up.
    public var subscriptionIDs: [String]

    /// Elements that could not be read, by their place in the request. ``subscriptionIDs`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    /// A request for some subscriptions.
    public init(subscriptionIDs: [String]) {
        self.subscriptionIDs = subscriptionIDs
    }
}

/// Body of `subscriptions/modify`.
public struct SubscriptionsModifyRequest: Sendable, Hashable {
    /// An operation on one subscription.
    public struct Operation: Sendable, Hashable {
        /// The three things that can be done.
        public enum Kind: String, Sendable, Hashable {
            /// Makes the subscription; the same one again is no error.
            case create
            /// Changes the subscription.
            case update
            /// Ends the subscription.
            case delete
        }

        /// The kind of operation.
        public var operationType: Kind
        /// The subscription; its ID is enough to delete it.
        public var subscription: WireSubscription

        /// An operation on a subscription.
        public init(_ operationType: Kind, _ subscription: WireSubscription) {
            self.operationType = operationType
            self.subscription = subscription
        }
    }

    /// The operations, in order.
    public var operations: [Operation]

    /// Operations that could not be read, by their place in the request. ``operations`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    /// A request of some operations.
    public init(operations: [Operation]) {
        self.operations = operations
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

    /// A subscription, of which nothing but the ID counts.
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

extension SubscriptionsModifyRequest.Operation.Kind: JSONWord {
    static var noun: String { "operationType" }
}

extension SubscriptionsModifyRequest.Operation: WireDrafted {
    struct Draft: WireObject {
        var operationType: Kind
        var subscription: WireSubscription.Draft

        static var blank: Self { Self(operationType: .create, subscription: .blank) }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.value("operationType", &operationType, else: "an operation needs an operationType")
            keys.nonNull("subscription", &subscription, else: "an operation needs a subscription")
        }
    }

    var draft: Draft { Draft(operationType: operationType, subscription: subscription.draft) }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        var subscription = draft.subscription
        // A deletion needs no more than the name, so the type may be missing.
        if draft.operationType == .delete, let id = subscription.subscriptionID {
            subscription = .init(subscriptionID: id, subscriptionType: .database)
        }
        self.init(draft.operationType, try WireSubscription(subscription, from: reader))
    }
}

extension SubscriptionsModifyRequest: WireObject {
    static var blank: Self { Self(operations: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.items(
            "operations", &operations, &malformed, named: [["subscription", "subscriptionID"]],
            else: "subscriptions/modify needs operations")
    }
}
