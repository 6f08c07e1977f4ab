/// The value to find a user by. The first given value counts; the service documents only one at a time.
package struct UserLookupInfo: Sendable, Hashable {
    /// An e-mail address of the user.
    package var emailAddress: String?
    /// A phone number of the user.
    package var phoneNumber: String?
    /// The record name of the user.
    package var userRecordName: String?

    /// Creates an empty look-up, whose value is set afterwards.
    package init() {}

    package init(emailAddress: String) { self.emailAddress = emailAddress }

    package init(phoneNumber: String) { self.phoneNumber = phoneNumber }

    package init(userRecordName: String) { self.userRecordName = userRecordName }
}

extension UserLookupInfo: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("emailAddress", &emailAddress)
        keys.optional("phoneNumber", &phoneNumber)
        keys.optional("userRecordName", &userRecordName)
    }
}
