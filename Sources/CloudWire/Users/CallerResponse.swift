/// Body of the answer of `users/caller`. The caller is given twice, at the top and in `users`, because clients look in
/// both places. ``UserIdentity`` reads the record name from either.
package struct CallerResponse: Sendable, Hashable {
    /// The caller of the request.
    package var user: DiscoveredUser
    /// Extension: the caller's rights in the public database, by record type; nil in other databases.
    package var publicRights: [RecordTypeRights]?

    package init(user: DiscoveredUser, publicRights: [RecordTypeRights]? = nil) {
        self.user = user
        self.publicRights = publicRights
    }
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
        keys.optional("publicRights", &publicRights)
    }
}
