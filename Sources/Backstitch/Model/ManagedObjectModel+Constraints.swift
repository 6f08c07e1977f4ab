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

    private func fault(_ message: String, _ key: String) -> BackstitchError {
        BackstitchError(.invalidModel, message, key: key)
    }
}
