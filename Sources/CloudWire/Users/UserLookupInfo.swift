/// By what a user is looked for. The first of its values that is given counts; the service documents one at a time.
public struct UserLookupInfo: Sendable, Hashable {
    /// An address of the user.
    public var emailAddress: String?
    /// A number of the user.
    public var phoneNumber: String?
    /// The user's record name.
    public var userRecordName: String?

    /// A look-up by nothing; set a value afterwards.
    public init() {}

    /// A look-up by an address.
    public init(emailAddress: String) { self.emailAddress = emailAddress }

    /// A look-up by a number.
    public init(phoneNumber: String) { self.phoneNumber = phoneNumber }

    /// A look-up by a record name.
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
