/// A record of an object in the target zone of its move, while the object is still in its former zone.
struct MovedCopy: Codable, Hashable {
    /// The number of its zone.
    let zone: Int64
    /// The change tag of the copy.
    let tag: String
    /// The last transaction with edits in the copy.
    var sequence: Int64 = 0
    /// The change tag of the object's record when the copy was made; nil if the copy is to be made anew.
    var source: String?
    /// Whether the object's record was to be deleted before, in a request that the server may have taken.
    var mayHaveLeft = false
}
