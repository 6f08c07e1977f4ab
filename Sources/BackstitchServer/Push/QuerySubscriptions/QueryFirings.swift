import CloudWire

/// A query subscription that has fired, and its news.
struct QueryFirings: Sendable {
    var subscription: StoredSubscription
    var news: [RecordFiring]
    /// How often it has fired with these news, over all servers; nil where that is not counted.
    var count: Int64?

    /// The news one by one, as devices are told of them.
    var fired: [FiredSubscription] {
        news.enumerated().map { index, record in
            FiredSubscription(
                user: subscription.user, subscriptionID: subscription.subscription.subscriptionID, record: record,
                ordinal: count.map { $0 - Int64(news.count - 1 - index) },
                info: subscription.subscription.notificationInfo)
        }
    }
}
