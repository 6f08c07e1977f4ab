/// A user as others see it.
public struct DiscoveredUser: Sendable, Hashable {
    /// Record name of the user.
    public var userRecordName: String
    /// The user's name, as far as it is told.
    public var nameComponents: UserNameComponents
    /// By what the user was found.
    public var lookupInfo: UserLookupInfo

    /// A user.
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
