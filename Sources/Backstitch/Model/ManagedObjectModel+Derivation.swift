extension ManagedObjectModel {
    /// Returns the faults of a derived attribute.
    func derivationFaults(of attribute: AttributeDescription, in entity: EntityDescription) -> [BackstitchError] {
        guard let text = attribute.derivation else { return [] }
        let reason: String?
        if attribute.isTransient || attribute.allowsExternalStorage || !attribute.defaultValue.isNull
            || !attribute.isOptional
        {
            reason = "can be neither transient, external nor required, and has no default"
        } else if let derivation = Derivation(text) {
            reason = self.reason(against: derivation, attribute.type, in: entity)
        } else {
            reason = "is not an expression that a store can compute; see PropertyDescription.derived for those"
        }
        let path = "\(entity.name).\(attribute.name)"
        return reason.map { [BackstitchError(.invalidModel, "\(path), derived from \"\(text)\", \($0)", key: path)] }
            ?? []
    }

    private func reason(against derivation: Derivation, _ type: AttributeType, in entity: EntityDescription) -> String?
    {
        switch derivation {
        case .now: return type == .date ? nil : "is \(type), and the time is a date"
        case .copy(let names, let folding):
            var owner = entity
            if names.count == 2 {
                guard case .relationship(let relationship)? = property(names[0], of: entity), !relationship.isToMany,
                    let destination = entities.first(where: { $0.name == relationship.destination })
                else { return "needs a to-one relationship \(names[0])" }
                owner = destination
            }
            guard let source = source(names[names.count - 1], of: owner) else {
                return
                    "needs an attribute \(owner.name).\(names[names.count - 1]) that is stored in its row and not derived itself"
            }
            if folding != nil, source.type != .string {
                return "folds \(source.name), which is \(source.type) and no text"
            }
            return source.type == type ? nil : "is \(type), and \(source.name) is \(source.type)"
        case .count(let name):
            if destination(ofToMany: name, of: entity) == nil { return "needs a to-many relationship \(name)" }
            return type.isInteger ? nil : "is \(type), and a count is an integer"
        case .sum(let relationship, let name):
            guard let destination = destination(ofToMany: relationship, of: entity) else {
                return "needs a to-many relationship \(relationship)"
            }
            guard let source = source(name, of: destination), let sum = source.type.sum else {
                return "needs an attribute \(destination.name).\(name) that is a number, stored and not derived itself"
            }
            return sum == type ? nil : "is \(type), and a sum of \(source.type) is \(sum)"
        }
    }

    private func property(_ name: String, of entity: EntityDescription) -> PropertyDescription? {
        withAncestors(entity).lazy.flatMap(\.properties).first { $0.name == name }
    }

    private func source(_ name: String, of entity: EntityDescription) -> AttributeDescription? {
        guard case .attribute(let attribute)? = property(name, of: entity), !attribute.isTransient,
            !attribute.allowsExternalStorage, attribute.derivation == nil
        else { return nil }
        return attribute
    }

    private func destination(ofToMany name: String, of entity: EntityDescription) -> EntityDescription? {
        guard case .relationship(let relationship)? = property(name, of: entity), relationship.isToMany else {
            return nil
        }
        return entities.first { $0.name == relationship.destination }
    }
}

extension AttributeType {
    fileprivate var isInteger: Bool { [.integer16, .integer32, .integer64].contains(self) }

    /// The type of a sum of these values; nil if they are no numbers.
    fileprivate var sum: AttributeType? {
        switch self {
        case .integer16, .integer32, .integer64: .integer64
        case .double, .float: .double
        case .decimal: .decimal
        default: nil
        }
    }
}
