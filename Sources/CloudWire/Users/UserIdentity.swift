/// Body of the answer of `users/caller`: the identity of the caller.
package struct UserIdentity: Sendable, Hashable {
    /// The record name of the user.
    package var userRecordName: String
    /// Extension: the caller's rights in the public database, by record type; nil if the server sends none.
    package var publicRights: [RecordTypeRights]?

    package init(userRecordName: String, publicRights: [RecordTypeRights]? = nil) {
        self.userRecordName = userRecordName
        self.publicRights = publicRights
    }
}

extension UserIdentity: WireDrafted {
    /// The identity is given twice, at the top and in `users`, because clients look in both places.
    struct Draft: WireObject {
        var name: String?
        var users: [Draft]?
        var publicRights: [RecordTypeRights]?

        static var blank: Self { Self() }

        /// The name at the top, or the name of the first user if it is missing.
        var anyName: String? { name ?? users?.first?.anyName }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("userRecordName", &name)
            keys.constant("nameComponents", "{}")
            keys.constant("lookupInfo", "{}")
            keys.optional("users", &users)
            keys.optional("publicRights", &publicRights)
            keys.check(anyName != nil, else: "a user needs a userRecordName")
        }
    }

    var draft: Draft {
        Draft(name: userRecordName, users: [Draft(name: userRecordName)], publicRights: publicRights)
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        self.init(userRecordName: draft.anyName ?? "", publicRights: draft.publicRights)
    }
}
