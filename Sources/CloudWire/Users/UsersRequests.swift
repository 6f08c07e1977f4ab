/// Body of `users/discover`.
public struct UsersDiscoverRequest: Sendable, Hashable {
    /// The users to look for; nil asks for all whom the caller knows, as a request by GET does.
    public var lookupInfos: [UserLookupInfo]?

    /// A request for some users.
    public init(lookupInfos: [UserLookupInfo]? = nil) {
        self.lookupInfos = lookupInfos
    }
}

/// Body of `users/lookup/email` and `users/lookup/id`, which name users by their address or their record name.
public struct UsersLookupRequest: Sendable, Hashable {
    /// The users to look for.
    public var users: [UserLookupInfo]

    /// A request for some users.
    public init(users: [UserLookupInfo]) {
        self.users = users
    }
}

extension UsersDiscoverRequest: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) { keys.optional("lookupInfos", &lookupInfos) }
}

extension UsersLookupRequest: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("users", &users, else: "a look-up of users needs users")
    }
}
