/// The effect of an object's deletion on the objects that its relationship leads to.
public enum DeleteRule: String, Hashable, Sendable, Codable {
    /// They lose their link to the deleted object.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion fails while there are any that are not deleted themselves.
    case deny
    /// Nothing: their link dangles, and reads as nil.
    case noAction
}
