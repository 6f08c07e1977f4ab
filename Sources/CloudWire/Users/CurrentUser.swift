/// Body of the answer of `users/current`, the older form of `users/caller`.
public struct CurrentUser: Sendable, Hashable {
    /// Record name of the user.
    public var userRecordName: String
    /// The user's given name.
    public var firstName: String?
    /// The name of the user's family.
    public var lastName: String?

    /// A user.
    public init(userRecordName: String, firstName: String? = nil, lastName: String? = nil) {
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
