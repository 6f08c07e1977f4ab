extension ManagedObjectModel {
    /// What is wrong with an entity's place in its family.
    func inheritanceFaults(of entity: EntityDescription) -> [BackstitchError] {
        guard let parent = entity.parent else { return [] }
        guard entities.contains(where: { $0.name == parent }) else {
            return [fault("\(entity.name) has the parent \(parent), which the model does not have", entity.name)]
        }
        guard let above = ancestors(of: entity) else {
            return [fault("\(entity.name) is above itself: its parents lead back to it", entity.name)]
        }
        guard let root = above.last else { return [] }
        // Relatives that come first have the name; each clash is told once, by the later of the two.
        let family = entities.filter { $0.name == root.name || ancestors(of: $0)?.last?.name == root.name }
        let before =
            above
            + family.prefix { $0.name != entity.name }.filter { other in
                !(ancestors(of: other)?.contains { $0.name == entity.name } ?? false)
            }
        return entity.properties.compactMap { property in
            let name = property.name.lowercased()
            guard let other = before.first(where: { $0.properties.contains { $0.name.lowercased() == name } }) else {
                return nil
            }
            return fault(
                "\(entity.name).\(property.name) is there already in \(other.name), and a family of entities shares one table; "
                    + "rename it, or move it to a common parent", "\(entity.name).\(property.name)")
        }
    }

    /// The entity and those above it, the nearest first.
    func withAncestors(_ entity: EntityDescription) -> [EntityDescription] { [entity] + (ancestors(of: entity) ?? []) }

    /// Nil when they go in a circle.
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
