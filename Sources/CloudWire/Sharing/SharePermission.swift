/// The rights of a participant, or of everybody with the address.
public enum SharePermission: String, Sendable, Hashable {
    /// No rights.
    case none = "NONE"
    /// May read.
    case readOnly = "READ_ONLY"
    /// May read and change.
    case readWrite = "READ_WRITE"
    /// Not known.
    case unknown = "UNKNOWN"
}

extension SharePermission: JSONWord {
    static var noun: String { "permission" }
}
