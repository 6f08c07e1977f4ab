extension ManagedObjectModel {
    /// The model with its implied attributes: the parts of composites, and the attributes for the order of ordered
    /// relationships.
    ///
    /// From here on they are treated like other attributes: stored, merged, saved by child contexts and synced.
    func expanded() -> ManagedObjectModel {
        var model = flattened()
        for entity in entities {
            for relationship in entity.relationships where relationship.isOrdered && relationship.isToMany {
                let name = inverse(of: relationship)?.isToMany == true ? entity.name : relationship.destination
                guard let index = entities.firstIndex(where: { $0.name == name }) else { continue }
                model.entities[index].properties.append(.attribute(orderAttribute(of: relationship)))
            }
        }
        return model
    }

    /// Makes the attribute for the order of an ordered relationship.
    ///
    /// | relationship | attribute | holds |
    /// |---|---|---|
    /// | one-to-many `Folder.notes` (inverse `Note.folder`) | `Note.folder_position` | the note's ``Rank`` in its folder |
    /// | many-to-many `Note.tags` | `Note.tags_order` | the tags' keys, 16 bytes each, in order |
    func orderAttribute(of relationship: RelationshipDescription) -> AttributeDescription {
        let inverse = inverse(of: relationship)
        let isList = inverse?.isToMany ?? false
        let (name, former, ending) =
            isList
            ? (relationship.name, relationship.renamingIdentifier, "_order")
            : (relationship.inverse, inverse?.renamingIdentifier, "_position")
        var attribute = AttributeDescription(name + ending, isList ? .binary : .string)
        attribute.renamingIdentifier = former.map { $0 + ending }
        return attribute
    }

    private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        let destination = entities.first { $0.name == relationship.destination }
        return destination?.relationships.first { $0.name == relationship.inverse }
    }
}
