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

extension ManagedObjectModel {
    /// The model with each composite attribute replaced by its parts.
    func flattened() -> ManagedObjectModel {
        var model = self
        for index in model.entities.indices
        where model.entities[index].attributes.contains(where: { !$0.elements.isEmpty }) {
            model.entities[index].flatten()
        }
        return model
    }

    /// Returns the faults of the composite attributes themselves; their parts are checked like other attributes.
    func compositeFaults() -> [BackstitchError] {
        entities.flatMap { entity in
            entity.attributes.filter { !$0.elements.isEmpty }.flatMap {
                faults(of: $0, at: "\(entity.name).\($0.name)")
            }
        }
    }

    private func faults(of composite: AttributeDescription, at path: String) -> [BackstitchError] {
        let isPlain =
            !composite.allowsExternalStorage && !composite.isTransient && composite.derivation == nil
            && composite.defaultValue.isNull && composite.isOptional
        var faults: [BackstitchError] = []
        if !isPlain {
            faults.append(
                BackstitchError(
                    .invalidModel,
                    "\(path) is composite: declare default, required, external, transient and derived on its parts",
                    key: path))
        }
        for element in composite.elements where !element.elements.isEmpty {
            faults += self.faults(of: element, at: "\(path).\(element.name)")
        }
        return faults
    }
}

extension EntityDescription {
    fileprivate mutating func flatten() {
        properties = properties.flatMap { property -> [PropertyDescription] in
            guard case .attribute(let attribute) = property, !attribute.elements.isEmpty else { return [property] }
            return attribute.parts(path: attribute.name).map { path, part in
                compositePaths[path] = part.name
                return .attribute(part)
            }
        }
    }
}

extension AttributeDescription {
    /// The attributes that store a composite, with their paths.
    fileprivate func parts(path: String) -> [(path: String, attribute: AttributeDescription)] {
        elements.flatMap { element -> [(String, AttributeDescription)] in
            var part = element
            part.name = "\(name)_\(element.name)"
            part.isEncrypted = isEncrypted || element.isEncrypted
            if renamingIdentifier != nil || element.renamingIdentifier != nil {
                part.renamingIdentifier = "\(renamingIdentifier ?? name)_\(element.renamingIdentifier ?? element.name)"
            }
            let path = "\(path).\(element.name)"
            return part.elements.isEmpty ? [(path, part)] : part.parts(path: path)
        }
    }
}
