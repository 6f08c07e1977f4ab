/// The effect of an object's deletion on the destinations of a relationship.
public enum DeleteRule: String, Hashable, Sendable, Codable {
    /// The destinations lose their link to the deleted object.
    case nullify
    /// The destinations are deleted too.
    case cascade
    /// The deletion fails while there are destinations that are not deleted as well.
    case deny
    /// The destinations stay as they are: their link dangles, and reads as nil.
    case noAction
}
