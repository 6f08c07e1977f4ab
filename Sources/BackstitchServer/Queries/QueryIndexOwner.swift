import BackstitchSupport

/// The maker of an index: a user, or the machine of a caller without a user.
struct QueryIndexOwner: Hashable, Sendable {
    /// The first character of a machine's name. No user name has it.
    private static let mark = "\u{1}"

    /// A user's record name, which has no control characters; or the mark and a digest of the machine's address.
    let name: String

    init(name: String) { self.name = name }

    /// Makes the maker for a caller without a user.
    ///
    /// - Parameter machine: The digest of the caller's address.
    init(machine: [UInt8]) { name = Self.mark + machine.base64URL }

    /// Whether the maker is a caller without a user.
    var isStranger: Bool { name.begins(with: Self.mark) }
}
