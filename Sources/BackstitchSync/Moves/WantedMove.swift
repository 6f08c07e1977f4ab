/// A move that the program, or a rule of the model, wants.
struct WantedMove: Codable, Hashable {
    /// The number of the target zone.
    var to: Int64
    /// The place in the family: parents are before their children.
    var rank = 0
    /// The target zones of requests that the server may have taken, by their names on the server.
    var sent: Set<String> = []
    /// The record in the target zone that the object's record becomes; nil if there is none yet.
    var copy: MovedCopy?
}
