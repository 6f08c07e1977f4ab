import CloudWire

/// A fired subscription to a query, with its news.
struct QueryFirings: Sendable {
    var subscription: StoredSubscription
    var news: [RecordFiring]
    /// The number of its firings up to these news, over all servers; nil if they are not counted.
    var count: Int64?

    /// The news one by one, in the form for devices.
    var fired: [FiredSubscription] {
        news.enumerated().map { index, record in
            FiredSubscription(
                user: subscription.user, subscriptionID: subscription.subscription.subscriptionID, record: record,
                ordinal: count.map { $0 - Int64(news.count - 1 - index) },
                info: subscription.subscription.notificationInfo)
        }
    }
}
