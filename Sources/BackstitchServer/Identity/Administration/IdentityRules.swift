import BackstitchSupport

/// The rules for values that administrators give.
enum IdentityRules {
    /// Names that CloudKit and this server use for what is no user's account.
    private static let reserved: Set<String> = [
        "_defaultOwner", "__defaultOwner__", RequestScope.world, "_icloud", "_creator", Authenticator.developmentUser,
    ]

    /// - Throws: ``IdentityError`` for a text that no record can bear as a user's name, or that means another thing.
    static func checkRecordName(_ name: String) throws(IdentityError) {
        guard RecordRules.isValidUser(name), !name.contains(where: \.isWhitespace), !reserved.contains(name) else {
            throw IdentityError(
                .invalid,
                """
                a record name is 1 to 255 bytes without spaces, and none of \(reserved.sorted().joined(separator: ", "))
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
            throw IdentityError(.invalid, "'\(address.shown())' is no e-mail address")
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

    /// Where a page begins.
    static func mark(_ after: String?) throws(IdentityError) -> String {
        guard let after, !after.isEmpty else { return "" }
        guard RecordRules.isValidUser(after) else {
            throw IdentityError(.invalid, "'after' is the last name or id of the page before")
        }
        return after
    }

    /// How many rows are asked for: as many as an answer may have unless fewer are.
    static func limit(_ asked: Int?) -> Int { min(max(asked ?? IdentityLimits.page, 1), IdentityLimits.page) }
}
