/// Gives each property of a sound model its slot, and each pair of relationships the one place of its links.
struct ModelLayout {
    private let model: ManagedObjectModel
    private let indexByName: [String: Int]

    /// The layout of a model that implies nothing: an expanded one.
    init(_ model: ManagedObjectModel) {
        self.model = model
        // A model with faults, which may have names twice, is only asked where links lie.
        indexByName = Dictionary(
            model.entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a relationship's links lie in a column of the entity's rows.
    func isColumn(_ relationship: RelationshipDescription, of entity: EntityDescription) -> Bool {
        storage(of: relationship, in: entity) == .column
    }

    func entities() -> [ResolvedEntity] {
        let order = model.entities.map(slots(of:))
        let slotByName = order.map { names in Dictionary(uniqueKeysWithValues: zip(names, names.indices)) }
        return model.entities.enumerated().map { index, entity in
            let byName = Dictionary(uniqueKeysWithValues: entity.properties.map { ($0.name, $0) })
            let properties = order[index].enumerated().compactMap { slot, name -> ResolvedProperty? in
                switch byName[name] {
                case .attribute(let attribute):
                    ResolvedProperty(name: name, slot: slot, attribute: attribute, relationship: nil)
                case .relationship(let relationship):
                    ResolvedProperty(
                        name: name, slot: slot, attribute: nil,
                        relationship: resolve(relationship, of: entity, slotByName: slotByName))
                case nil: nil
                }
            }
            let columnCount = properties.prefix(while: \.isColumn).count
            return ResolvedEntity(
                name: entity.name, index: index, properties: properties, columnCount: columnCount,
                managedObjectClass: entity.managedObjectClass, uniquenessConstraints: entity.uniquenessConstraints)
        }
    }

    private func slots(of entity: EntityDescription) -> [String] {
        let relationships = entity.relationships
        let columns = relationships.filter { storage(of: $0, in: entity) == .column }
        let others = relationships.filter { storage(of: $0, in: entity) != .column }
        let stored = entity.attributes.filter { !$0.isTransient }, transient = entity.attributes.filter(\.isTransient)
        return stored.map(\.name) + columns.map(\.name) + others.map(\.name) + transient.map(\.name)
    }

    private func resolve(
        _ relationship: RelationshipDescription, of entity: EntityDescription, slotByName: [[String: Int]]
    ) -> ResolvedRelationship {
        let destination = indexByName[relationship.destination] ?? 0
        return ResolvedRelationship(
            description: relationship, destinationIndex: destination,
            inverseSlot: slotByName[destination][relationship.inverse] ?? 0,
            storage: storage(of: relationship, in: entity),
            orderSlot: orderSlot(
                of: relationship, slots: slotByName[indexByName[entity.name] ?? 0], slotByName[destination]))
    }

    private func orderSlot(
        of relationship: RelationshipDescription, slots: [String: Int], _ destination: [String: Int]
    ) -> Int? {
        guard relationship.isOrdered else { return nil }
        let name = model.orderAttribute(of: relationship).name
        return name.hasSuffix("_order") ? slots[name] : destination[name]
    }

    /// A to-one side of a to-many owns the column; between equals the end whose (entity, name) comes first owns.
    private func storage(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) -> ResolvedRelationship.Storage {
        let inverse = indexByName[relationship.destination]
            .flatMap { model.entities[$0].relationships.first { $0.name == relationship.inverse } }
        let inverseIsToMany = inverse?.isToMany ?? false
        let comesFirst = (entity.name, relationship.name) <= (relationship.destination, relationship.inverse)
        return switch (relationship.isToMany, inverseIsToMany) {
        case (false, true): .column
        case (true, false): .inverseColumn
        case (false, false): comesFirst ? .column : .inverseColumn
        case (true, true): comesFirst ? .ownedLinks : .inverseLinks
        }
    }
}
