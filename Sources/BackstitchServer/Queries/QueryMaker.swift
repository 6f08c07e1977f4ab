import BackstitchSupport

/// The maker of an index: a user, or a machine from which nobody in particular asks.
struct QueryMaker: Hashable, Sendable {
    private static let mark = "\u{1}"

    /// A user's record name, which has no control characters; or the mark, and a digest of the machine's address.
    let name: String

    init(name: String) { self.name = name }

    /// - Parameter machine: Digest of an address.
    init(machine: [UInt8]) { name = Self.mark + machine.base64URL }

    /// Whether it is nobody in particular.
    var isStranger: Bool { name.begins(with: Self.mark) }
}
