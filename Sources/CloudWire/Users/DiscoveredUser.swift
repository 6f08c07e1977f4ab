/// A user, in the view of other users.
package struct DiscoveredUser: Sendable, Hashable {
    /// The record name of the user.
    package var userRecordName: String
    /// The user's name, or its disclosed parts.
    package var nameComponents: UserNameComponents
    /// The value that the user was found by.
    package var lookupInfo: UserLookupInfo

    package init(
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
