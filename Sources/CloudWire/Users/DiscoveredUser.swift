/// A user, in the view of other users.
public struct DiscoveredUser: Sendable, Hashable {
    /// The record name of the user.
    public var userRecordName: String
    /// The user's name, or its disclosed parts.
    public var nameComponents: UserNameComponents
    /// The value that the user was found by.
    public var lookupInfo: UserLookupInfo

    /// Creates a user from the known parts.
    public init(
        userRecordName: String, nameComponents: UserNameComponents = UserNameComponents(),
        lookupInfo: UserLookupInfo = UserLookupInfo()
    ) {
        self.userRecordName = userRecordName
        self.nameComponents = nameComponents
        self.lookupInfo = lookupInfo
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
