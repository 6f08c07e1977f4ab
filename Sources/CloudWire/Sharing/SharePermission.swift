/// The rights of a participant, or of every user with the address.
package enum SharePermission: String, Sendable, Hashable {
    /// No rights to the share.
    case none = "NONE"
    /// The right to read, but not to change.
    case readOnly = "READ_ONLY"
    /// The right to read and to change.
    case readWrite = "READ_WRITE"
    /// The rights are not known.
    case unknown = "UNKNOWN"
}

extension SharePermission: JSONWord {
    static var noun: String { "permission" }
}
