/// Body of the answers of `users/discover` and `users/lookup`: the users that were found, in the order of the request.
public struct UsersResponse: Sendable, Hashable {
    /// The users that were found.
    public var users: [DiscoveredUser]

    /// Creates an answer from its users.
    public init(users: [DiscoveredUser]) {
        self.users = users
    }
}

extension UsersResponse: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.value("users", &users) }
}
