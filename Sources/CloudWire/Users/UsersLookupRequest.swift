/// Body of `users/lookup/email` and `users/lookup/id`: finds users by their address or their record name.
package struct UsersLookupRequest: Sendable, Hashable {
    /// The users to find.
    package var users: [UserLookupInfo]

    package init(users: [UserLookupInfo]) {
        self.users = users
    }
}

extension UsersLookupRequest: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("users", &users, else: "a look-up of users needs users")
    }
}
