import BackstitchSupport
import CloudWire
import Foundation

/// The users, as other users may find them: by name or address, and only with their permission.
///
/// A user may have several tokens, each with a line of its own. A statement in any of the lines counts for the user.
struct FindableUsers: Sendable {
    private struct Person {
        var identity: DiscoveredUser
        var emailAddress: String?
        var isDiscoverable: Bool
        /// The end of the last token; nil for never.
        var expires: Date?
    }

    private var people: [ByteText: Person] = [:]
    private var names: [ByteText: ByteText] = [:]

    init(_ users: [ZoneServerConfiguration.User]) {
        for user in users {
            let name = ByteText(user.userRecordName)
            var person =
                people[name]
                ?? Person(
                    identity: DiscoveredUser(userRecordName: user.userRecordName), isDiscoverable: false,
                    expires: user.expires)
            if person.identity.nameComponents == UserNameComponents() {
                person.identity.nameComponents = user.nameComponents
            }
            person.emailAddress = person.emailAddress ?? user.emailAddress
            person.isDiscoverable = person.isDiscoverable || user.isDiscoverable
            if let end = person.expires { person.expires = user.expires.map { max($0, end) } }
            people[name] = person
            if let address = user.emailAddress { names[ByteText(Self.key(address))] = name }
        }
    }

    /// Creates the directory of accounts with a valid token or key.
    init(_ accounts: [StoredAccount]) {
        for account in accounts {
            let name = ByteText(account.name)
            var identity = DiscoveredUser(userRecordName: account.name)
            identity.nameComponents = account.components
            people[name] = Person(
                identity: identity, emailAddress: account.emailAddress, isDiscoverable: account.isDiscoverable)
            if let address = account.emailAddress { names[ByteText(Self.key(address))] = name }
        }
    }

    /// Whether a user of this name is known, discoverable or not.
    func has(_ name: String) -> Bool { people[ByteText(name)] != nil }

    /// Whether the requested user is known, discoverable or not.
    func has(_ info: UserLookupInfo) -> Bool {
        if let address = info.emailAddress { return names[ByteText(Self.key(address))] != nil }
        return info.phoneNumber == nil && (info.userRecordName.map(has) ?? false)
    }

    /// An address in the form for comparisons: in lower case.
    static func key(_ emailAddress: String) -> String { emailAddress.lowercased() }

    /// The caller's own entry, with the email address.
    func caller(_ name: String) -> DiscoveredUser {
        guard let person = people[ByteText(name)] else { return DiscoveredUser(userRecordName: name) }
        var identity = person.identity
        identity.lookupInfo.emailAddress = person.emailAddress
        return identity
    }

    /// Finds a discoverable user, or the caller.
    ///
    /// - Parameter now: Milliseconds since 1970. A user is not found after the end of all its tokens.
    /// - Returns: The user, with only the requested key as lookup info. nil for an unknown user, and equally for one
    ///   without the permission to be found.
    func find(_ info: UserLookupInfo, for caller: String, at now: Int64) -> DiscoveredUser? {
        var asked = UserLookupInfo()
        let name: ByteText?
        if let address = info.emailAddress {
            asked.emailAddress = address
            name = names[ByteText(Self.key(address))]
        } else if info.phoneNumber != nil {
            name = nil
        } else {
            asked.userRecordName = info.userRecordName
            name = info.userRecordName.map({ ByteText($0) })
        }
        guard let name else { return nil }
        let isCaller = name == ByteText(caller)
        guard let person = people[name] else {
            return isCaller ? DiscoveredUser(userRecordName: caller, lookupInfo: asked) : nil
        }
        let isCurrent = person.expires.map { $0.isAhead(of: now) } ?? true
        guard isCurrent, person.isDiscoverable || isCaller else { return nil }
        var found = person.identity
        found.lookupInfo = asked
        return found
    }
}
