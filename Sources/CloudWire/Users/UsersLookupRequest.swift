/// Body of `users/lookup/email` and `users/lookup/id`, which name users by their address or their record name.
public struct UsersLookupRequest: Sendable, Hashable {
    /// The users to look for.
    public var users: [UserLookupInfo]

    /// A request for some users.
    public init(users: [UserLookupInfo]) {
        self.users = users
    }
}

extension UsersLookupRequest: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("users", &users, else: "a look-up of users needs users")
    }
}
