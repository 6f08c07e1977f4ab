/// One element of an answer about subscriptions.
package enum SubscriptionResult: Sendable, Hashable {
    /// The subscription in the server's form.
    case subscription(WireSubscription)
    /// The subscription was deleted, or no longer exists.
    case deleted(subscriptionID: String)
    /// The operation failed. The ID is empty if the request gave none.
    case error(subscriptionID: String, WireError)
}

extension SubscriptionResult: WireDrafted {
    struct Draft: WireObject {
        var subscription = WireSubscription.Draft.blank
        var deleted = false
        var error = ErrorKeys.blank

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            subscription.code(&keys)
            keys.flag("deleted", &deleted)
            error.code(&keys)
        }
    }

    var draft: Draft {
        switch self {
        case .subscription(let subscription): Draft(subscription: subscription.draft)
        case .deleted(let id): Draft(subscription: .init(subscriptionID: id), deleted: true)
        case .error(let id, let error):
            Draft(subscription: .init(subscriptionID: id.isEmpty ? nil : id), error: error.draft)
        }
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        let id = draft.subscription.subscriptionID ?? ""
        if let error = draft.error.error {
            self = .error(subscriptionID: id, error)
        } else if draft.deleted {
            self = .deleted(subscriptionID: id)
        } else {
            self = .subscription(try WireSubscription(draft.subscription, from: reader))
        }
    }
}
