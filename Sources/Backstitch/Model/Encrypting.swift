extension PropertyDescription {
    /// The attribute, with its values leaving the device only as ciphertext.
    ///
    /// ```swift
    /// .attribute("diagnosis", .string).encrypted()
    /// .attribute("scan", .binary, external: true).encrypted()
    /// ```
    /// A synced store encrypts values on their way to the server and decrypts those that come, with keys that the
    /// program gives. The server keeps bytes that it can neither read, compare, sort by nor search; devices merge
    /// conflicts. In the store here the values lie as others do, so predicates, orders and unique constraints work.
    /// Other stores do not care. Of a composite attribute all parts are encrypted.
    ///
    /// Say it of a new attribute: the server has what was sent of an older one, and its field has another type.
    ///
    /// It is a fault of the model for an attribute that never leaves the device (transient, derived or
    /// `synced(.none)`), and for a relationship.
    public func encrypted() -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.isEncrypted = true
            return .attribute(attribute)
        case .relationship(var relationship):
            // Not passed over: who asks for a secret must hear that there is none.
            relationship.isEncrypted = true
            return .relationship(relationship)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the fault of an attribute that is to be encrypted and never leaves the device.
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
