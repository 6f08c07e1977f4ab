extension ManagedObjectModel {
    /// Checks the whole model. Each fault names its entity and property; the list is empty for a sound model.
    public func faults() -> [BackstitchError] { compositeFaults() + flattened().plainFaults() }

    private func plainFaults() -> [BackstitchError] {
        var faults = duplicates(among: entities.map(\.name)).map { fault("the entity \($0) is defined twice", $0) }
        faults += duplicates(among: transformers.map(\.name)).map {
            fault("the transformer \($0) is defined twice", $0)
        }
        for entity in entities { faults += self.faults(of: entity) }
        return faults + classFaults() + renamingFaults() + configurationFaults()
    }

    private func faults(of entity: EntityDescription) -> [BackstitchError] {
        var faults: [BackstitchError] = []
        if !isName(entity.name) { faults.append(fault("entity \"\(entity.name)\": \(Self.nameRule)", entity.name)) }
        for name in duplicates(among: entity.properties.map(\.name)) {
            faults.append(fault("\(entity.name).\(name) is defined twice", name))
        }
        for property in entity.properties {
            if !isName(property.name) {
                faults.append(fault("\(entity.name).\"\(property.name)\": \(Self.nameRule)", property.name))
            }
            switch property {
            case .attribute(let attribute): faults += self.faults(of: attribute, in: entity)
            case .relationship(let relationship): faults += self.faults(of: relationship, in: entity)
            }
        }
        faults += inheritanceFaults(of: entity) + constraintFaults(of: entity) + indexFaults(of: entity)
        return faults + zoneParentFaults(of: entity) + naturalKeyFaults(of: entity)
    }

    private func zoneParentFaults(of entity: EntityDescription) -> [BackstitchError] {
        guard let name = entity.zoneParent else { return [] }
        let relationship = entity.relationships.first { $0.name == name }
        if let relationship, ModelLayout(self).isColumn(relationship, of: entity) { return [] }
        let toOnes = entity.relationships.filter { ModelLayout(self).isColumn($0, of: entity) }.map(\.name)
        return [
            fault(
                "\(entity.name) names \"\(name)\" as the relationship to its parent, but it is not a to-one "
                    + "relationship stored in its own rows; it has "
                    + "\(toOnes.isEmpty ? "none" : toOnes.joined(separator: ", "))",
                "\(entity.name).\(name)")
        ]
    }

    private func faults(of attribute: AttributeDescription, in entity: EntityDescription) -> [BackstitchError] {
        let path = "\(entity.name).\(attribute.name)"
        var faults: [BackstitchError] = []
        if attribute.allowsExternalStorage, attribute.type != .binary {
            faults.append(fault("\(path) is \(attribute.type): only binary attributes have external storage", path))
        }
        if attribute.allowsExternalStorage, attribute.isTransient {
            faults.append(fault("\(path) is transient, and so cannot have external storage", path))
        }
        faults += derivationFaults(of: attribute, in: entity) + encryptionFaults(of: attribute, in: entity)
        faults += assetPolicyFaults(of: attribute, in: entity)
        if case .transformable(let transformer) = attribute.type,
            !transformers.contains(where: { $0.name == transformer })
        {
            faults.append(
                fault(
                    "\(path) names the transformer \"\(transformer)\", which the model does not have; add it to `transformers`",
                    path))
        }
        if !attribute.defaultValue.isNull {
            do { _ = try attribute.accept(attribute.defaultValue) } catch {
                faults.append(fault("\(path) has a default that does not fit: \(error.message)", path))
            }
        }
        return faults
    }

    private func faults(of relationship: RelationshipDescription, in entity: EntityDescription) -> [BackstitchError] {
        let path = "\(entity.name).\(relationship.name)"
        if relationship.isEncrypted {
            return [
                fault(
                    "\(path) is a relationship, and only attributes can be encrypted: a server reads links to "
                        + "keep its references", path)
            ]
        }
        if relationship.hasAssetPolicy {
            return [fault("\(path) is a relationship, and has no assets: leave out synced(assets:)", path)]
        }
        guard let destination = entities.first(where: { $0.name == relationship.destination }) else {
            return [fault("\(path) leads to \(relationship.destination), which the model does not have", path)]
        }
        guard let inverse = destination.relationships.first(where: { $0.name == relationship.inverse }) else {
            return [
                fault(
                    "\(path) needs an inverse: \(destination.name) has no relationship \"\(relationship.inverse)\"",
                    path)
            ]
        }
        if relationship.isOrdered, let fault = orderFault(of: relationship, path, in: entity, destination) {
            return [fault]
        }
        guard inverse.destination == entity.name, inverse.inverse == relationship.name else {
            return [
                fault(
                    "\(path) names \(destination.name).\(inverse.name) as inverse, which leads back to "
                        + "\(inverse.destination).\(inverse.inverse) instead", path)
            ]
        }
        return []
    }

    private func orderFault(
        of relationship: RelationshipDescription, _ path: String, in entity: EntityDescription,
        _ destination: EntityDescription
    ) -> BackstitchError? {
        if !relationship.isToMany { return fault("\(path) is to-one, and so cannot be ordered", path) }
        let name = orderAttribute(of: relationship).name
        let keeper = name.hasSuffix("_order") ? entity : destination
        if keeper.properties.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            return fault("\(keeper.name).\(name) is reserved for the stored order of \(path); rename it", path)
        }
        return isName(name) ? nil : fault("the name of \(path) is too long for an ordered relationship", path)
    }

    private static let nameRule =
        "a name is ASCII letters, digits and underscores, begins with a letter, and has up to 64"

    private func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        return isLetter(first)
            && name.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "_") || (48...57).contains($0) }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    /// Names that occur twice. Names that differ only in case count as equal, since SQL's tables and columns ignore
    /// case.
    private func duplicates(among names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0.lowercased()).inserted }
    }

    /// The error for a fault of the model.
    func fault(_ message: String, _ key: String) -> BackstitchError {
        BackstitchError(.invalidModel, message, key: key)
    }
}

extension ManagedObjectModel {
    /// Returns the faults of an entity's place in its family.
    func inheritanceFaults(of entity: EntityDescription) -> [BackstitchError] {
        guard let parent = entity.parent else { return [] }
        guard entities.contains(where: { $0.name == parent }) else {
            return [fault("\(entity.name) has the parent \(parent), which the model does not have", entity.name)]
        }
        guard let above = ancestors(of: entity) else {
            return [fault("\(entity.name) is its own ancestor: its parents lead back to it", entity.name)]
        }
        return entity.properties.compactMap { property in
            let name = property.name.lowercased()
            guard let other = above.first(where: { $0.properties.contains { $0.name.lowercased() == name } }) else {
                return nil
            }
            return fault(
                "\(entity.name).\(property.name) is already defined in \(other.name), and \(entity.name) "
                    + "inherits it; rename or remove one of them", "\(entity.name).\(property.name)")
        }
    }

    /// The entity and its ancestors, the nearest first.
    func withAncestors(_ entity: EntityDescription) -> [EntityDescription] { [entity] + (ancestors(of: entity) ?? []) }

    /// The entity's ancestors, the nearest first; nil if the parents form a circle.
    private func ancestors(of entity: EntityDescription) -> [EntityDescription]? {
        var above: [EntityDescription] = []
        var next = entity.parent
        while let name = next, let parent = entities.first(where: { $0.name == name }) {
            if name == entity.name || above.contains(where: { $0.name == name }) { return nil }
            above.append(parent)
            next = parent.parent
        }
        return above
    }
}

extension ManagedObjectModel {
    /// Returns the faults of an entity's unique constraints.
    func constraintFaults(of entity: EntityDescription) -> [BackstitchError] {
        var seen: Set<Set<String>> = []
        return entity.uniquenessConstraints.flatMap { keys -> [BackstitchError] in
            let path = "\(entity.name)(\(keys.joined(separator: ", ")))"
            if keys.isEmpty { return [fault("a unique constraint of \(entity.name) names no property", entity.name)] }
            if Set(keys).count < keys.count {
                return [fault("the unique constraint \(path) names a property twice", path)]
            }
            if !seen.insert(Set(keys)).inserted {
                return [fault("the unique constraint \(path) is defined twice", path)]
            }
            let own = Set(entity.properties.map(\.name))
            if entity.parent != nil, !keys.contains(where: own.contains) {
                return [
                    fault(
                        "the unique constraint \(path) names only inherited properties, which relatives of "
                            + "\(entity.name) also have; move it to the parent", path)
                ]
            }
            return keys.compactMap { key in
                reason(against: key, in: entity).map { fault("the unique constraint \(path) \($0)", path) }
            }
        }
    }

    private func reason(against key: String, in entity: EntityDescription) -> String? {
        let family = withAncestors(entity)
        switch family.lazy.flatMap(\.properties).first(where: { $0.name == key }) {
        case nil: return "names \(key), which the entity does not have"
        case .attribute(let attribute):
            if attribute.isTransient { return "names \(key), which is transient: nothing of it is stored" }
            switch attribute.type {
            case .binary, .transformable: return "names \(key), which is \(attribute.type): bytes cannot be unique"
            default: return nil
            }
        case .relationship(let relationship):
            if relationship.isToMany { return "names \(key), which is to-many" }
            let declaring = family.first { $0.properties.contains { $0.name == key } } ?? entity
            return ModelLayout(self).isColumn(relationship, of: declaring)
                ? nil : "names \(key), whose link is stored with \(relationship.destination).\(relationship.inverse)"
        }
    }
}
