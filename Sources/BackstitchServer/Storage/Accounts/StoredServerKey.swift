import BackstitchSupport
import CloudWire

/// A row of the table of server-to-server keys.
struct StoredServerKey: Sendable, Hashable {
    /// The key's id: 64 hexadecimal digits.
    var id: String
    /// The public key, as base64 of its DER form.
    var publicKey: String
    /// Record name of the key's user.
    var account: String
    /// The containers within the key's reach; empty for all.
    var containers: [String]
    var label: String
    var created: Int64
    /// The end of validity, in milliseconds since 1970; 0 for never.
    var expires: Int64
}
