/// The value to find a user by. The first given value counts; the service documents only one at a time.
public struct UserLookupInfo: Sendable, Hashable {
    /// An e-mail address of the user.
    public var emailAddress: String?
    /// A phone number of the user.
    public var phoneNumber: String?
    /// The record name of the user.
    public var userRecordName: String?

    /// Creates an empty look-up, whose value is set afterwards.
    public init() {}

    /// Creates a look-up by an e-mail address.
    public init(emailAddress: String) { self.emailAddress = emailAddress }

    /// Creates a look-up by a phone number.
    public init(phoneNumber: String) { self.phoneNumber = phoneNumber }

    /// Creates a look-up by a record name.
    public init(userRecordName: String) { self.userRecordName = userRecordName }
}

extension UserLookupInfo: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("emailAddress", &emailAddress)
        keys.optional("phoneNumber", &phoneNumber)
        keys.optional("userRecordName", &userRecordName)
    }
}
