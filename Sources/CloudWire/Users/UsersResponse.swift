/// A user as others see it.
public struct DiscoveredUser: Sendable, Hashable {
    /// Record name of the user.
    public var userRecordName: String
    /// The user's name, as far as it is told.
    public var nameComponents: UserNameComponents
    /// By what the user was found.
    public var lookupInfo: UserLookupInfo

    /// A user.
    public init(
        userRecordName: String, nameComponents: UserNameComponents = UserNameComponents(),
        lookupInfo: UserLookupInfo = UserLookupInfo()
    ) {
        self.userRecordName = userRecordName
        self.nameComponents = nameComponents
        self.lookupInfo = lookupInfo
    }
}

/// Body of the answers of `users/discover` and `users/lookup`: those who were found, in the order of the request.
public struct UsersResponse: Sendable, Hashable {
    /// The users.
    public var users: [DiscoveredUser]

    /// An answer.
    public init(users: [DiscoveredUser]) {
        self.users = users
    }
}

/// Body of the answer of `users/caller`. The caller stands at the top and once more in `users`, because clients look in
/// both places; ``UserIdentity`` reads the record name from either.
public struct CallerResponse: Sendable, Hashable {
    /// The caller.
    public var user: DiscoveredUser

    /// An answer.
    public init(user: DiscoveredUser) {
        self.user = user
    }
}

extension DiscoveredUser: WireObject {
    static var blank: Self { Self(userRecordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("userRecordName", &userRecordName, else: "a user needs a userRecordName")
        keys.value("nameComponents", &nameComponents)
        keys.value("lookupInfo", &lookupInfo)
    }
}

extension UsersResponse: WireObject {
    static var blank: Self { Self(users: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.value("users", &users) }
}

extension CallerResponse: WireObject {
    static var blank: Self { Self(user: .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        user.code(&keys)
        keys.field("users", if: true, else: nil) {
            [user].write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            try reader.skip()
            return true
        }
    }
}
