extension ManagedObjectModel {
    /// For each class, the position of its entity. If several entities share the class, it is the one above the others.
    var indexByClass: [ObjectIdentifier: Int] {
        entitiesByClass.compactMapValues { entities in
            top(of: entities).flatMap { top in self.entities.firstIndex { $0.name == top.name } }
        }
    }

    /// Returns the faults of classes with several entities, if none is an ancestor of the others.
    func classFaults() -> [BackstitchError] {
        entitiesByClass.values.filter { top(of: $0) == nil }.sorted { $0[0].name < $1[0].name }.map { entities in
            let names = entities.map(\.name).joined(separator: " and "), type = entities[0].managedObjectClass
            return BackstitchError(
                .invalidModel,
                "\(names) have the same class, \(type): FetchRequest<\(type)> and \(type)(context:) could mean either; give each entity a "
                    + "class of its own, or none", key: entities[1].name)
        }
    }

    private var entitiesByClass: [ObjectIdentifier: [EntityDescription]] {
        Dictionary(
            grouping: entities.filter { $0.managedObjectClass != ManagedObject.self },
            by: { ObjectIdentifier($0.managedObjectClass) })
    }

    /// The entity that is an ancestor of all the others; nil if there is none.
    private func top(of entities: [EntityDescription]) -> EntityDescription? {
        entities.first { candidate in
            entities.allSatisfy { withAncestors($0).contains { $0.name == candidate.name } }
        }
    }
}
