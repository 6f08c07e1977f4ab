import BackstitchSupport
import CloudWire

/// A row of the table of server-to-server keys.
struct StoredServerKey: Sendable, Hashable {
    /// 64 hexadecimal digits.
    var id: String
    /// Base64 of the DER form.
    var publicKey: String
    /// Record name of the user who the key is.
    var account: String
    /// The containers that it reaches; empty for all.
    var containers: [String]
    var label: String
    var created: Int64
    /// Milliseconds since 1970; 0 for never.
    var expires: Int64
}
