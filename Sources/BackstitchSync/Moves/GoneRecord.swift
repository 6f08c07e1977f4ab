/// A record that its zone no longer has.
struct GoneRecord: Codable, Hashable {
    /// The zone that has the object now, by its name on the server, as the deletion says. Empty if the deletion tells
    /// only that the object has moved; nil if it tells nothing.
    var to: String?
    /// Whether a full fetch has not met the record. Nobody has told of its deletion.
    var isMissing = false
    /// The copy that this device has made in another zone, to move the object there. Its record was skipped when it
    /// came.
    var copy: MovedCopy?
    /// Whether this device has moved the object, and had no answer.
    var isOwnMove = false
    /// The number of the zone that the object is to go to after it has arrived.
    var then: Int64?
}
