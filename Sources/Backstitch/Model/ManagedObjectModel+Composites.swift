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
