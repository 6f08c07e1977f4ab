/// Body of the answers of `users/discover` and `users/lookup`: those who were found, in the order of the request.
public struct UsersResponse: Sendable, Hashable {
    /// The users.
    public var users: [DiscoveredUser]

    /// An answer.
    public init(users: [DiscoveredUser]) {
        self.users = users
    }
}

extension UsersResponse: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.value("users", &users) }
}
