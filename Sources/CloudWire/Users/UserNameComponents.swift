/// The parts of a user's name. Each may be missing.
public struct UserNameComponents: Sendable, Hashable {
    /// Such as a title.
    public var namePrefix: String?
    /// The name that the user was given.
    public var givenName: String?
    /// Further given names.
    public var middleName: String?
    /// The name of the user's family.
    public var familyName: String?
    /// Such as a degree.
    public var nameSuffix: String?
    /// How friends call the user.
    public var nickname: String?
    /// How the name is spoken.
    public var phoneticRepresentation: String?

    /// A name of the two usual parts; set others afterwards.
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
