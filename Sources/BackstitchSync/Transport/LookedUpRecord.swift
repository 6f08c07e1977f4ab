import CloudWire

/// The server's answer to the look-up of a record.
enum LookedUpRecord: Sendable {
    case record(WireRecord)
    /// The server has deleted the record.
    ///
    /// - Parameter movedTo: The name of the zone that has its object now; empty if the server does not name it, nil if
    ///   the object has not moved.
    case deleted(movedTo: String?)
    /// The server does not have the record. It may never have had it, or does not tell of its deletion.
    case missing

    var record: WireRecord? { if case .record(let record) = self { record } else { nil } }
}
