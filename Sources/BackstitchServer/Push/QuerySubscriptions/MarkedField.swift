/// A field in which marks of subscriptions to a record type have values.
struct MarkedField: Hashable, Sendable {
    var type: String
    /// The name of the field.
    var name: String
}
