import BackstitchSupport
import CloudWire
import Foundation

/// The users as others may find them: their names and addresses, of those who allow it.
///
/// A user may have several tokens, each with a line of its own; what any of them says counts for the user.
struct People: Sendable {
    private struct Person {
        var identity: DiscoveredUser
        var emailAddress: String?
        var isDiscoverable: Bool
        /// When the last token ends; nil for never.
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

    /// Accounts that have a token or a key which is honoured.
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

    /// Whether a user of this name is among them, who may not want to be found.
    func has(_ name: String) -> Bool { people[ByteText(name)] != nil }

    /// Whether the user who is asked for is among them, who may not want to be found.
    func has(_ info: UserLookupInfo) -> Bool {
        if let address = info.emailAddress { return names[ByteText(Self.key(address))] != nil }
        return info.phoneNumber == nil && (info.userRecordName.map(has) ?? false)
    }

    /// An address as it is compared: capitals do not matter.
    static func key(_ emailAddress: String) -> String { emailAddress.lowercased() }

    /// The caller as the caller sees it.
    func caller(_ name: String) -> DiscoveredUser {
        guard let person = people[ByteText(name)] else { return DiscoveredUser(userRecordName: name) }
        var identity = person.identity
        identity.lookupInfo.emailAddress = person.emailAddress
        return identity
    }

    /// Finds a user who allows it, and the caller.
    ///
    /// - Parameter now: Milliseconds since 1970. A user whose tokens have ended is not found.
    /// - Returns: the user with nothing but that by which it was asked for; nil alike for a user who does not exist and
    ///   for one who does not want to be found.
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
        let isCurrent = person.expires.map { Double(now) < $0.timeIntervalSince1970 * 1000 } ?? true
        guard isCurrent, person.isDiscoverable || isCaller else { return nil }
        var found = person.identity
        found.lookupInfo = asked
        return found
    }
}
