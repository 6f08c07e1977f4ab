/// Body of `users/discover`: a request for some users, or for all known ones.
package struct UsersDiscoverRequest: Sendable, Hashable {
    /// The users to find. Nil asks for all users that the caller knows, in the same way as a request by GET.
    package var lookupInfos: [UserLookupInfo]?

    package init(lookupInfos: [UserLookupInfo]? = nil) {
        self.lookupInfos = lookupInfos
    }
}

extension UsersDiscoverRequest: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) { keys.optional("lookupInfos", &lookupInfos) }
}
