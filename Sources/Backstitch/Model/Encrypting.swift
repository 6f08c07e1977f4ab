extension PropertyDescription {
    /// The attribute, but its values leave the device only as ciphertext.
    ///
    /// ```swift
    /// .attribute("diagnosis", .string).encrypted()
    /// .attribute("scan", .binary, external: true).encrypted()
    /// ```
    /// A synced store encrypts values before it sends them, and decrypts received values. The program supplies the
    /// keys. The server cannot read, compare, sort by or search the bytes, so devices merge conflicts. In the local
    /// store the values are not encrypted, so predicates, orders and unique constraints work. Other stores ignore the
    /// setting. For a composite attribute, all parts are encrypted.
    ///
    /// Use it on a new attribute only. The server keeps the unencrypted values of an older one, and its field has
    /// another type.
    ///
    /// It is a fault of the model for an attribute that never leaves the device (transient, derived or
    /// `synced(.none)`), and for a relationship.
    public func encrypted() -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.isEncrypted = true
            return .attribute(attribute)
        case .relationship(var relationship):
            // Noted, so that it becomes a fault: the program asks for encryption, and must learn that there is none.
            relationship.isEncrypted = true
            return .relationship(relationship)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the fault of an encrypted attribute that never leaves the device.
    func encryptionFaults(of attribute: AttributeDescription, in entity: EntityDescription) -> [BackstitchError] {
        guard attribute.isEncrypted else { return [] }
        let reason: String
        if attribute.isTransient {
            reason = "is transient"
        } else if attribute.derivation != nil {
            reason = "is derived"
        } else if attribute.syncDirection == .none {
            reason = "is synced(.none)"
        } else {
            return []
        }
        let path = "\(entity.name).\(attribute.name)"
        return [
            BackstitchError(
                .invalidModel, "\(path) \(reason), and so never leaves the device: leave out encrypted()", key: path)
        ]
    }
}
