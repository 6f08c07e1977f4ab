/// Body of the answer of `users/caller`: who the caller is.
public struct UserIdentity: Sendable, Hashable {
    /// Record name of the user.
    public var userRecordName: String

    /// A user.
    public init(userRecordName: String) {
        self.userRecordName = userRecordName
    }
}

extension UserIdentity: WireDrafted {
    /// The identity stands at the top and once more in `users`, because clients look in both places.
    struct Draft: WireObject {
        var name: String?
        var users: [Draft]?

        static var blank: Self { Self() }

        /// The name at the top, or else the first of the users.
        var anyName: String? { name ?? users?.first?.anyName }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("userRecordName", &name)
            keys.constant("nameComponents", "{}")
            keys.constant("lookupInfo", "{}")
            keys.optional("users", &users)
            keys.check(anyName != nil, else: "a user needs a userRecordName")
        }
    }

    var draft: Draft { Draft(name: userRecordName, users: [Draft(name: userRecordName)]) }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        self.init(userRecordName: draft.anyName ?? "")
    }
}
