/// Body of the answer of `users/caller`: the identity of the caller.
public struct UserIdentity: Sendable, Hashable {
    /// The record name of the user.
    public var userRecordName: String

    /// Creates the identity from a record name.
    public init(userRecordName: String) {
        self.userRecordName = userRecordName
    }
}

extension UserIdentity: WireDrafted {
    /// The identity is given twice, at the top and in `users`, because clients look in both places.
    struct Draft: WireObject {
        var name: String?
        var users: [Draft]?

        static var blank: Self { Self() }

        /// The name at the top, or the name of the first user if it is missing.
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
