import CloudWire

/// A change of a record in a commit, as query subscriptions look at it.
struct RecordChange: Sendable {
    var change: WireSubscription.Change
    /// The record after the change; of a deletion, before it.
    var record: StoredRecord
    /// The name of its zone.
    var zone: String
}

/// The news of a query subscription: a record, or that there is something.
struct RecordFiring: Sendable, Hashable {
    /// Nil when the subscription is told no more than that something has happened.
    var name: String?
    var change: WireSubscription.Change?
    /// The name of the record's zone.
    var zone: String?
    /// The values of the fields that the subscription's `alertLocalizationArgs` name, as texts.
    var arguments: [String]?

    static let unnamed = RecordFiring()

    init() {}

    init(_ change: RecordChange) {
        name = change.record.name
        self.change = change.change
        zone = change.zone
    }

    init(name: String, change: WireSubscription.Change, zone: String) {
        self.name = name
        self.change = change
        self.zone = zone
    }
}

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

extension ZonePlan {
    /// The changes that the plan has written, those that went along with deletions last.
    var recordChanges: [RecordChange] {
        changes.indices.compactMap { index in
            guard let record = changes[index]?.record else { return nil }
            let before = changes[index]?.before
            if record.deleted { return before.map { RecordChange(change: .delete, record: $0, zone: zone.name) } }
            return RecordChange(change: before == nil ? .create : .update, record: record, zone: zone.name)
        } + touched.map { RecordChange(change: .update, record: $0, zone: zone.name) }
            + cascade.map { RecordChange(change: .delete, record: $0, zone: zone.name) }
    }
}
