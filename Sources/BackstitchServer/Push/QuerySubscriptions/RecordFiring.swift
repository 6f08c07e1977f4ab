import CloudWire

/// The news of a query subscription: a record, or only a hint.
struct RecordFiring: Sendable, Hashable {
    /// The name of the record; nil for a hint that something has happened.
    var name: String?
    var change: WireSubscription.Change?
    /// The name of the record's zone.
    var zone: String?
    /// The values of the fields in the subscription's `alertLocalizationArgs`, as texts.
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
