extension ManagedObjectModel {
    /// Returns the faults of an entity's indexes.
    func indexFaults(of entity: EntityDescription) -> [BackstitchError] {
        var seen: Set<FetchIndexDescription> = []
        return entity.indexes.flatMap { index -> [BackstitchError] in
            let path = "\(entity.name)(\(index.elements.map(\.description).joined(separator: ", ")))"
            if index.elements.isEmpty { return [fault("an index of \(entity.name) has no elements", entity.name)] }
            if Set(index.elements.map(\.property)).count < index.elements.count {
                return [fault("the index \(path) names a property twice", path)]
            }
            if !seen.insert(index).inserted { return [fault("the index \(path) is defined twice", path)] }
            return index.elements.compactMap { element in
                reason(against: element, in: entity).map { fault("the index \(path) \($0)", path) }
            }
        }
    }

    private func reason(against element: FetchIndexElementDescription, in entity: EntityDescription) -> String? {
        let family = withAncestors(entity)
        let name = family.lazy.compactMap { $0.compositePaths[element.property] }.first ?? element.property
        switch family.lazy.flatMap(\.properties).first(where: { $0.name == name }) {
        case nil: return "names \(element.property), which the entity does not have"
        case .attribute(let attribute):
            if attribute.isTransient { return "names \(name), which is transient: nothing of it is stored" }
            switch attribute.type {
            case .binary, .transformable: return "names \(name), which is \(attribute.type): no fetch asks for bytes"
            case .string where element.options.contains(.numeric):
                return "orders \(name) by numbers in its text, which no index can"
            case .string: return nil
            default: return element.options.isEmpty ? nil : "folds \(name), which is \(attribute.type) and no text"
            }
        case .relationship(let relationship):
            if !element.options.isEmpty { return "folds \(name), which is a relationship and no text" }
            let declaring = family.first { $0.properties.contains { $0.name == name } } ?? entity
            return !relationship.isToMany && ModelLayout(self).isColumn(relationship, of: declaring)
                ? nil : "names \(name), whose links are not kept with \(entity.name)"
        }
    }
}

extension ResolvedModel {
    /// The indexes of the model over the rows of an entity's table, each once. A family's table has those of all
    /// members.
    package func fetchIndexes(ofTable root: ResolvedEntity) -> [[ResolvedIndexElement]] {
        var seen: Set<FetchIndexDescription> = []
        return zip(entities, model.entities).filter { $0.0.tableName == root.tableName }.flatMap {
            entity, description in
            description.indexes.filter { seen.insert($0).inserted }.map { index in
                index.elements.compactMap { element in
                    entity.property(named: element.property).map { ResolvedIndexElement($0, element) }
                }
            }
        }
    }
}
