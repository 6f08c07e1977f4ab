/// Body of the answers of `users/discover` and `users/lookup`: the users that were found, in the order of the request.
package struct UsersResponse: Sendable, Hashable {
    /// The users that were found.
    package var users: [DiscoveredUser]

    package init(users: [DiscoveredUser]) {
        self.users = users
    }
}

extension UsersResponse: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.value("users", &users) }
}
