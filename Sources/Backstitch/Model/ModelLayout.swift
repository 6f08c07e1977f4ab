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
        let lineages = model.entities.map(lineage(of:))
        let roots = model.entities.indices.map { lineages[$0].last.flatMap { indexByName[$0] } ?? $0 }
        let families = Dictionary(grouping: model.entities.indices, by: { roots[$0] })
        let slots = families.mapValues { self.slots(of: $0.map { model.entities[$0] }) }
        let slotByName = slots.mapValues { names in Dictionary(uniqueKeysWithValues: zip(names, names.indices)) }
        let properties = families.mapValues { members in
            resolved(members.map { model.entities[$0] }, slots[roots[members[0]]] ?? []) {
                slotByName[roots[$0]] ?? [:]
            }
        }
        return model.entities.enumerated().map { index, entity in
            let own = properties[roots[index]] ?? []
            let below = model.entities.indices.filter { lineages[$0].contains(entity.name) }.map {
                model.entities[$0].name
            }
            let above = lineages[index].compactMap { name in indexByName[name].map { model.entities[$0] } }
            let family = own.first { $0.name == EntityFamily.columnName }
                .map { EntityFamily(root: model.entities[roots[index]].name, rootIndex: roots[index], slot: $0.slot) }
            return ResolvedEntity(
                name: entity.name, index: index, properties: own, columnCount: own.prefix(while: \.isColumn).count,
                managedObjectClass: entity.managedObjectClass,
                uniquenessConstraints: ([entity] + above).flatMap(\.uniquenessConstraints),
                isAbstract: entity.isAbstract, lineage: lineages[index], subentityNames: below, family: family,
                compositePaths: ([entity] + above).reduce(into: [:]) { paths, entity in
                    paths.merge(entity.compositePaths) { first, _ in first }
                },
                ownNames: family == nil ? nil : Set(([entity] + above).flatMap(\.properties).map(\.name)))
        }
    }

    /// Names of the entities above one, the nearest first.
    private func lineage(of entity: EntityDescription) -> [String] {
        var names: [String] = []
        var next = entity.parent
        while let name = next, !names.contains(name) {
            names.append(name)
            next = indexByName[name].flatMap { model.entities[$0].parent }
        }
        return names
    }

    private func slots(of members: [EntityDescription]) -> [String] {
        let attributes = members.flatMap(\.attributes)
        let stored = attributes.filter { !$0.isTransient }.map(\.name),
            transient = attributes.filter(\.isTransient).map(\.name)
        let relationships = members.flatMap { entity in entity.relationships.map { ($0.name, isColumn($0, of: entity)) }
        }
        let columns = relationships.filter(\.1).map(\.0), others = relationships.filter { !$0.1 }.map(\.0)
        let kind = members.count > 1 ? [EntityFamily.columnName] : []
        return stored + kind + columns + others + transient
    }

    /// The properties of a family in their slots.
    private func resolved(
        _ members: [EntityDescription], _ slots: [String], _ slotByName: (Int) -> [String: Int]
    ) -> [ResolvedProperty] {
        let declared = members.flatMap { entity in entity.properties.map { (entity, $0) } }
        let byName = Dictionary(declared.map { ($0.1.name, $0) }, uniquingKeysWith: { first, _ in first })
        return slots.enumerated().map { slot, name in
            switch byName[name] {
            case (_, .attribute(let attribute))?:
                ResolvedProperty(name: name, slot: slot, attribute: attribute, relationship: nil)
            case (let entity, .relationship(let relationship))?:
                ResolvedProperty(
                    name: name, slot: slot, attribute: nil,
                    relationship: resolve(relationship, of: entity, slotByName: slotByName))
            case nil:
                ResolvedProperty(
                    name: name, slot: slot, attribute: AttributeDescription(name, .string, optional: false),
                    relationship: nil)
            }
        }
    }

    private func resolve(
        _ relationship: RelationshipDescription, of entity: EntityDescription, slotByName: (Int) -> [String: Int]
    ) -> ResolvedRelationship {
        let destination = indexByName[relationship.destination] ?? 0
        let far = slotByName(destination)
        return ResolvedRelationship(
            description: relationship, destinationIndex: destination,
            destinationRootIndex: lineage(of: model.entities[destination]).last.flatMap { indexByName[$0] }
                ?? destination,
            inverseSlot: far[relationship.inverse] ?? 0,
            storage: storage(of: relationship, in: entity),
            orderSlot: orderSlot(of: relationship, slots: slotByName(indexByName[entity.name] ?? 0), far))
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
