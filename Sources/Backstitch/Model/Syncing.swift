extension PropertyDescription {
    /// The attribute, with its values going only these ways between a synced store and its server.
    ///
    /// ```swift
    /// .attribute("displayOrder", .integer64).synced(.none)
    /// .attribute("serverRank", .double).synced(.download)
    /// ```
    /// An object that arrives has the attribute's default where its values do not come. Other stores do not care.
    /// Relationships go both ways, and stay as they are.
    public func synced(_ direction: SyncDirection) -> PropertyDescription {
        guard case .attribute(var attribute) = self else { return self }
        attribute.syncDirection = direction
        return .attribute(attribute)
    }
}

extension PropertyDescription {
    /// The attribute, with the bytes of its assets coming to devices by this policy.
    ///
    /// ```swift
    /// .attribute("thumbnail", .binary, external: true).synced(assets: .eager)
    /// .attribute("photo", .binary, external: true).synced(assets: .below(500_000))
    /// .attribute("film", .binary, external: true).synced(assets: .onDemand)
    /// ```
    /// The policy counts before the option `syncAutomaticAssetSize`, which is for attributes of which the model says
    /// nothing; an attribute that the option `excludedUnchangingAsyncAssetKeys` names comes only when it is asked for,
    /// whatever the model says. It holds for records that come from then on. Stores that are not synced do not care.
    ///
    /// It is a fault of the model for an attribute without external storage, for a relationship, and for a negative
    /// size.
    public func synced(assets policy: AssetPolicy) -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.assetPolicy = policy
            return .attribute(attribute)
        case .relationship(var relationship):
            // Not passed over, as with encrypted().
            relationship.hasAssetPolicy = true
            return .relationship(relationship)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the fault of an attribute whose policy for assets means nothing.
    func assetPolicyFaults(of attribute: AttributeDescription, in entity: EntityDescription) -> [BackstitchError] {
        guard let policy = attribute.assetPolicy else { return [] }
        let path = "\(entity.name).\(attribute.name)"
        if attribute.type != .binary || !attribute.allowsExternalStorage {
            return [
                BackstitchError(
                    .invalidModel, "\(path) is no binary attribute with external storage: leave out synced(assets:)",
                    key: path)
            ]
        }
        guard case .below(let size) = policy, size < 0 else { return [] }
        return [BackstitchError(.invalidModel, "\(path) has a policy for assets below \(size) bytes", key: path)]
    }
}

extension EntityDescription {
    /// The entity, with only those of its objects going to a synced store's server that satisfy a predicate.
    ///
    /// ```swift
    /// EntityDescription("Note", [.attribute("isDraft", .boolean, default: false), …])
    ///     .synced(where: "isDraft == false")
    /// ```
    /// Objects that do not match stay local. When a save makes one match, it is sent whole. When a save makes one that
    /// is on the server match no more, its record is deleted there, and so from other devices; it stays here. Records
    /// that come from the server are taken whether they match or not. References to objects that stayed local are empty
    /// on other devices.
    ///
    /// The predicate sees the object's own attributes and to-one relationships, and nothing beyond them. One that does
    /// not parse, or looks further, is a fault of the model for synced stores.
    public func synced(where format: String) -> EntityDescription {
        var entity = self
        entity.syncRule = ValidationRule(source: .format(format), message: nil)
        return entity
    }

    /// The same with a predicate.
    ///
    /// ```swift
    /// EntityDescription("Note", […]).synced(by: Key<Bool>("isDraft") == false)
    /// ```
    public func synced(by predicate: FetchPredicate) -> EntityDescription {
        var entity = self
        entity.syncRule = ValidationRule(source: .predicate(predicate), message: nil)
        return entity
    }

    /// The entity, with its to-one relationship of that name leading to the object's parent: a new object is in the
    /// zone of its parent, and its record names the parent's.
    ///
    /// ```swift
    /// EntityDescription("Note", [.toOne("folder", "Folder", inverse: "notes"), …]).parent("folder")
    /// ```
    /// Holds for subentities too. Only synced stores have zones; others do not care. A name that is no to-one
    /// relationship whose links the entity's own rows keep is a fault of the model.
    public func parent(_ relationship: String) -> EntityDescription {
        var entity = self
        entity.zoneParent = relationship
        return entity
    }

    /// Which of its objects go to a synced store's server; nil for all.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when it does not parse.
    package func syncPredicate() throws -> FetchPredicate? { try syncRule?.predicate() }
}
