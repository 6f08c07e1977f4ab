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

    private func fault(_ message: String, _ key: String) -> BackstitchError {
        BackstitchError(.invalidModel, message, key: key)
    }
}
