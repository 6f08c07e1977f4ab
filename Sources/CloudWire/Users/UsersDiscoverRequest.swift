/// Body of `users/discover`.
public struct UsersDiscoverRequest: Sendable, Hashable {
    /// The users to look for; nil asks for all whom the caller knows, as a request by GET does.
    public var lookupInfos: [UserLookupInfo]?

    /// A request for some users.
    public init(lookupInfos: [UserLookupInfo]? = nil) {
        self.lookupInfos = lookupInfos
    }
}

extension UsersDiscoverRequest: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) { keys.optional("lookupInfos", &lookupInfos) }
}
