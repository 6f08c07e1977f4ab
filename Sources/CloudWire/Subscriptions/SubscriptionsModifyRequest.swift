/// Body of `subscriptions/modify`: makes, changes and ends subscriptions.
package struct SubscriptionsModifyRequest: Sendable, Hashable {
    /// An operation on one subscription.
    package struct Operation: Sendable, Hashable {
        /// The three kinds of operations.
        package enum Kind: String, Sendable, Hashable {
            /// Makes the subscription. A repeated request is no error.
            case create
            /// Changes the subscription of this name.
            case update
            /// Ends the subscription of this name.
            case delete
        }

        /// The kind of the operation.
        package var operationType: Kind
        /// The subscription. To delete it, only its ID is needed.
        package var subscription: WireSubscription

        package init(_ operationType: Kind, _ subscription: WireSubscription) {
            self.operationType = operationType
            self.subscription = subscription
        }
    }

    /// The operations, in the order of their execution.
    package var operations: [Operation]

    /// Operations that could not be read, by their position in the request. ``operations`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(operations: [Operation]) {
        self.operations = operations
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
        // A deletion needs only the name, so the type may be missing.
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
