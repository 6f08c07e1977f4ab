/// The parts of a user's name. Each of them may be missing.
public struct UserNameComponents: Sendable, Hashable {
    /// A part before the name, for instance a title.
    public var namePrefix: String?
    /// The given name of the user.
    public var givenName: String?
    /// Further given names of the user.
    public var middleName: String?
    /// The family name of the user.
    public var familyName: String?
    /// A part after the name, for instance a degree.
    public var nameSuffix: String?
    /// The name that friends use for the user.
    public var nickname: String?
    /// The pronunciation of the whole name.
    public var phoneticRepresentation: String?

    /// Creates a name from the two usual parts; others are set afterwards.
    public init(givenName: String? = nil, familyName: String? = nil) {
        self.givenName = givenName
        self.familyName = familyName
    }
}

extension UserNameComponents: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("namePrefix", &namePrefix)
        keys.optional("givenName", &givenName)
        keys.optional("middleName", &middleName)
        keys.optional("familyName", &familyName)
        keys.optional("nameSuffix", &nameSuffix)
        keys.optional("nickname", &nickname)
        keys.optional("phoneticRepresentation", &phoneticRepresentation)
    }
}
