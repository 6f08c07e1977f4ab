extension PropertyDescription {
    /// The attribute, with its values synced in these directions only.
    ///
    /// ```swift
    /// .attribute("displayOrder", .integer64).synced(.none)
    /// .attribute("serverRank", .double).synced(.download)
    /// ```
    /// A received object has the attribute's default, if the attribute's values are not taken from the server. Stores
    /// without sync ignore the setting. Relationships always sync both ways, and are returned unchanged.
    public func synced(_ direction: SyncDirection) -> PropertyDescription {
        guard case .attribute(var attribute) = self else { return self }
        attribute.syncDirection = direction
        return .attribute(attribute)
    }
}

extension PropertyDescription {
    /// The attribute, with a policy for fetching the bytes of its assets.
    ///
    /// ```swift
    /// .attribute("thumbnail", .binary, external: true).synced(assets: .eager)
    /// .attribute("photo", .binary, external: true).synced(assets: .below(500_000))
    /// .attribute("film", .binary, external: true).synced(assets: .onDemand)
    /// ```
    /// The policy takes precedence over the option `syncAutomaticAssetSize`, which serves attributes without a policy.
    /// An attribute named by the option `excludedUnchangingAsyncAssetKeys` is fetched only on request, even with a
    /// policy. The policy holds for records received from then on. Stores without sync ignore it.
    ///
    /// It is a fault of the model for an attribute without external storage, for a relationship, and for a negative
    /// size.
    public func synced(assets policy: AssetPolicy) -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.assetPolicy = policy
            return .attribute(attribute)
        case .relationship(var relationship):
            // Noted, so that it becomes a fault, as with encrypted().
            relationship.hasAssetPolicy = true
            return .relationship(relationship)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the fault of an attribute whose policy for assets has no meaning.
    func assetPolicyFaults(of attribute: AttributeDescription, in entity: EntityDescription) -> [BackstitchError] {
        guard let policy = attribute.assetPolicy else { return [] }
        let path = "\(entity.name).\(attribute.name)"
        if attribute.type != .binary || !attribute.allowsExternalStorage {
            return [
                BackstitchError(
                    .invalidModel, "\(path) is not a binary attribute with external storage: leave out synced(assets:)",
                    key: path)
            ]
        }
        guard case .below(let size) = policy, size < 0 else { return [] }
        return [BackstitchError(.invalidModel, "\(path) has a policy for assets below \(size) bytes", key: path)]
    }
}

extension EntityDescription {
    /// The entity, with only some objects sent to a synced store's server: those that satisfy a predicate.
    ///
    /// ```swift
    /// EntityDescription("Note", [.attribute("isDraft", .boolean, default: false), …])
    ///     .synced(where: "isDraft == false")
    /// ```
    /// Objects that do not match stay local. When a save makes an object match, it is sent as a whole. When an object
    /// on the server no longer matches after a save, its record is deleted there, and so on other devices; the object
    /// stays here. Records from the server are taken even if they do not match. References to local objects are empty
    /// on other devices.
    ///
    /// The predicate sees only the object's own attributes and to-one relationships. A predicate that does not parse,
    /// or looks further, is a fault of the model for synced stores.
    public func synced(where format: String) -> EntityDescription {
        var entity = self
        entity.syncRule = ValidationRule(source: .format(format), message: nil)
        return entity
    }

    /// Does the same with a predicate value.
    ///
    /// ```swift
    /// EntityDescription("Note", […]).synced(by: Key<Bool>("isDraft") == false)
    /// ```
    public func synced(by predicate: FetchPredicate) -> EntityDescription {
        var entity = self
        entity.syncRule = ValidationRule(source: .predicate(predicate), message: nil)
        return entity
    }

    /// The entity, with the to-one relationship of this name as the way to an object's parent. A new object is in the
    /// zone of its parent, and its record names the parent's.
    ///
    /// ```swift
    /// EntityDescription("Note", [.toOne("folder", "Folder", inverse: "notes"), …]).parent("folder")
    /// ```
    /// It holds for subentities too. Only synced stores have zones; others ignore it. The relationship must be to-one,
    /// with its links in the entity's own rows; any other name is a fault of the model.
    public func parent(_ relationship: String) -> EntityDescription {
        var entity = self
        entity.zoneParent = relationship
        return entity
    }

    /// The predicate for the objects to send to a synced store's server; nil for all.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if it does not parse.
    package func syncPredicate() throws -> FetchPredicate? { try syncRule?.predicate() }
}
