import BackstitchSupport
import CloudWire

extension ZoneServerConfiguration {
    /// Checks the users, containers and IDs of server-to-server keys.
    static func check(_ serverKeys: [ServerKey]) throws(ZoneServerError) {
        for key in serverKeys {
            guard RecordRules.isValidUser(key.userRecordName) else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    """
                    the userRecordName of the server-to-server key \(key.keyID.prefix(8))… must be 1 to 255 bytes without \
                    control characters
                    """)
            }
            if let fault = key.containers.flatMap({ ServedContainers.declared($0).fault }) {
                throw ZoneServerError(
                    .invalidConfiguration, "the server-to-server key of '\(key.userRecordName)': \(fault)")
            }
        }
        guard Set(serverKeys.map(\.keyID)).count == serverKeys.count else {
            throw ZoneServerError(
                .invalidConfiguration,
                "two of the server-to-server keys of \(serverKeys.map(\.userRecordName)) have the same ID")
        }
    }

    /// Whether a text can be an email address: 3 to 254 bytes without spaces, with text on both sides of an @.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(atByte: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return (3...254).contains(text.utf8.count) && parts.count > 1 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Checks the form of email addresses. Two users must not share one.
    static func checkAddresses(of users: [User]) throws(ZoneServerError) {
        var owners: [String: String] = [:]
        for user in users {
            guard let address = user.emailAddress else { continue }
            guard isAddress(address) else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "emailAddress '\(address.prefix(60))' of the user '\(user.userRecordName)' is not an address")
            }
            let owner =
                owners.updateValue(user.userRecordName, forKey: FindableUsers.key(address)) ?? user.userRecordName
            guard owner.utf8.elementsEqual(user.userRecordName.utf8) else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "the users '\(owner)' and '\(user.userRecordName)' have the same emailAddress, so one of "
                        + "them could not be found; give each its own"
                )
            }
        }
    }
}
