import BackstitchSupport

/// The rules for values given by administrators.
enum IdentityRules {
    /// Names with another meaning than a user's account, for CloudKit or for this server.
    private static let reserved: Set<String> = [
        "_defaultOwner", "__defaultOwner__", RequestScope.world, "_icloud", "_creator", Authenticator.developmentUser,
    ]

    /// Checks the record name of a new account.
    ///
    /// - Throws: ``IdentityError`` if no record can bear the text as a user's name, or if it is reserved.
    static func checkRecordName(_ name: String) throws(IdentityError) {
        guard RecordRules.isValidUser(name), !name.contains(where: \.isWhitespace), !reserved.contains(name) else {
            throw IdentityError(
                .invalid,
                """
                a record name is 1 to 255 bytes without spaces, and not one of \
                \(reserved.sorted().joined(separator: ", "))
                """)
        }
    }

    static func checkAlias(_ alias: String) throws(IdentityError) {
        guard RecordRules.isValidUser(alias), !alias.contains(where: \.isWhitespace), !alias.hasPrefix("_") else {
            throw IdentityError(
                .invalid, "a user's alias is 1 to 255 bytes without spaces, and does not begin with '_'")
        }
    }

    static func checkAddress(_ address: String) throws(IdentityError) {
        guard ZoneServerConfiguration.isAddress(address) else {
            throw IdentityError(.invalid, "'\(address.shown())' is not an e-mail address")
        }
    }

    static func checkNamePart(_ part: String) throws(IdentityError) {
        guard RecordRules.isValidUser(part) else {
            throw IdentityError(.invalid, "a part of a name is 1 to 255 bytes without control characters")
        }
    }

    static func checkLabel(_ label: String) throws(IdentityError) {
        guard label.isEmpty || RecordRules.isValidUser(label), label.utf8.count <= IdentityLimits.label else {
            throw IdentityError(
                .invalid, "a label has at most \(IdentityLimits.label) bytes, and no control characters")
        }
    }

    static func checkContainer(_ name: String) throws(IdentityError) {
        if let fault = ServedContainers.declared([name]).fault { throw IdentityError(.invalid, fault) }
    }

    /// The mark for the beginning of a page; empty for the first one.
    static func mark(_ after: String?) throws(IdentityError) -> String {
        guard let after, !after.isEmpty else { return "" }
        guard RecordRules.isValidUser(after) else {
            throw IdentityError(.invalid, "'after' is the last name or id of the page before")
        }
        return after
    }

    /// The number of rows to read: 1 to ``IdentityLimits/page``, and the maximum unless given.
    static func limit(_ asked: Int?) -> Int { min(max(asked ?? IdentityLimits.page, 1), IdentityLimits.page) }
}
