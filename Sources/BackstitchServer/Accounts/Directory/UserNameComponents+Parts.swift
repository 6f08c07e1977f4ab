import CloudWire

extension UserNameComponents {
    /// The parts that the name has.
    var parts: [String] {
        [namePrefix, givenName, middleName, familyName, nameSuffix, nickname, phoneticRepresentation].compactMap(\.self)
    }
}
