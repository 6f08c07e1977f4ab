extension EntityDescription {
    /// The entity under a new name. Stores with the name `earlierName` are migrated, and its objects stay.
    ///
    /// ```swift
    /// EntityDescription("Memo", class: Memo.self, [...]).renamed(from: "Note")
    /// ```
    /// Over several renames keep the first name: then a store of any version in between finds it. After a further
    /// rename you may also give the previous name. Then stores of the previous version are migrated, and older ones are
    /// not.
    public func renamed(from earlierName: String) -> EntityDescription {
        var entity = self
        entity.renamingIdentifier = earlierName
        return entity
    }
}

extension PropertyDescription {
    /// The property's name in earlier versions of the model.
    public var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }

    /// The property under a new name. Stores with the name `earlierName` are migrated, and its values stay.
    ///
    /// ```swift
    /// .attribute("headline", .string).renamed(from: "title")
    /// ```
    /// Over several renames keep the first name, as with ``EntityDescription/renamed(from:)``.
    public func renamed(from earlierName: String) -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.renamingIdentifier = earlierName
            return .attribute(attribute)
        case .relationship(var relationship):
            relationship.renamingIdentifier = earlierName
            return .relationship(relationship)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the faults of two entities, or two properties of one entity, with the same earlier name.
    func renamingFaults() -> [BackstitchError] {
        var faults = Self.clashes(entities.map { ($0.name, $0.renamingIdentifier) }).map { first, second, name in
            BackstitchError(
                .invalidModel, "entities \(first) and \(second) both claim the former name \(name)", key: second)
        }
        for entity in entities {
            faults += Self.clashes(entity.properties.map { ($0.name, $0.renamingIdentifier) }).map {
                BackstitchError(
                    .invalidModel,
                    "\(entity.name).\($0.0) and \(entity.name).\($0.1) both claim the former name \($0.2)",
                    key: "\(entity.name).\($0.1)")
            }
        }
        return faults
    }

    private static func clashes(_ names: [(name: String, earlier: String?)]) -> [(String, String, String)] {
        var owners: [String: String] = [:]
        return names.compactMap { name, earlier in
            guard let earlier else { return nil }
            if let owner = owners[earlier] { return (owner, name, earlier) }
            owners[earlier] = name
            return nil
        }
    }
}
