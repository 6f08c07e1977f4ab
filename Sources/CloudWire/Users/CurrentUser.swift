/// Body of the answer of `users/current`, the older form of `users/caller`.
package struct CurrentUser: Sendable, Hashable {
    /// The record name of the user.
    package var userRecordName: String
    /// The given name of the user.
    package var firstName: String?
    /// The family name of the user.
    package var lastName: String?

    package init(userRecordName: String, firstName: String? = nil, lastName: String? = nil) {
        self.userRecordName = userRecordName
        self.firstName = firstName
        self.lastName = lastName
    }
}

extension CurrentUser: WireObject {
    static var blank: Self { Self(userRecordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("userRecordName", &userRecordName, else: "a user needs a userRecordName")
        keys.optional("firstName", &firstName)
        keys.optional("lastName", &lastName)
    }
}
