import BackstitchSupport
import CloudWire

/// A row of the table of accounts.
struct StoredAccount: Sendable, Hashable {
    /// The user's record name: `_` and 32 hexadecimal digits, or a name from the time before accounts.
    var name: String
    /// A name for people. No record bears it, and no other account has it as alias or as record name.
    var alias: String?
    var emailAddress: String?
    var components = UserNameComponents()
    /// Whether other users may find this one.
    var isDiscoverable = false
    /// The time of creation, in milliseconds since 1970.
    var created: Int64
}
