import CloudWire

/// A change of a record in a commit, for subscriptions to queries.
struct RecordChange: Sendable {
    var change: WireSubscription.Change
    /// The record after the change; for a deletion, before it.
    var record: StoredRecord
    /// The name of its zone.
    var zone: String
}

extension ZonePlan {
    /// The changes written by the plan. Those caused by deletions are last.
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
