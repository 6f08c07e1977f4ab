/// Gives each property of a sound model its slot, and each pair of relationships one place for its links.
struct ModelLayout {
    private let model: ManagedObjectModel
    private let indexByName: [String: Int]

    /// Makes the layout of an expanded model: its implied attributes are already added.
    init(_ model: ManagedObjectModel) {
        self.model = model
        // A model with faults may have duplicate names, but is only asked for the places of links.
        indexByName = Dictionary(
            model.entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    private func columnGraph() -> ToOneGraph {
        var graph = ToOneGraph()
        for entity in model.entities {
            for relationship in entity.relationships where isColumn(relationship, of: entity) {
                graph.add(from: root(of: entity.name), to: root(of: relationship.destination))
            }
        }
        return graph
    }

    /// The number of an entity's family: the position of its root among the entities.
    private func root(of name: String) -> Int {
        guard let index = indexByName[name] else { return 0 }
        return lineage(of: model.entities[index]).last.flatMap { indexByName[$0] } ?? index
    }

    /// Whether the links of a relationship are in a column of the entity's rows.
    func isColumn(_ relationship: RelationshipDescription, of entity: EntityDescription) -> Bool {
        storage(of: relationship, in: entity) == .column
    }

    func entities() -> [ResolvedEntity] {
        let lineages = model.entities.map(lineage(of:))
        let roots = model.entities.indices.map { lineages[$0].last.flatMap { indexByName[$0] } ?? $0 }
        let families = Dictionary(grouping: model.entities.indices, by: { roots[$0] })
        let places = families.mapValues { members in self.places(of: members.map { model.entities[$0] }) }
        let slots = model.entities.indices.map { index in
            self.slots(of: [model.entities[index].name] + lineages[index], in: places[roots[index]] ?? [])
        }
        let columns = columnGraph()
        let properties = places.mapValues { resolved($0, slots, columns) }
        return model.entities.enumerated().map { index, entity in
            let all = properties[roots[index]] ?? []
            let below = model.entities.indices.filter { lineages[$0].contains(entity.name) }.map {
                model.entities[$0].name
            }
            let above = lineages[index].compactMap { name in indexByName[name].map { model.entities[$0] } }
            let family = all.first { $0.name == EntityFamily.columnName }
                .map { EntityFamily(root: model.entities[roots[index]].name, rootIndex: roots[index], slot: $0.slot) }
            return ResolvedEntity(
                name: entity.name, index: index, properties: all, columnCount: all.prefix(while: \.isColumn).count,
                managedObjectClass: entity.managedObjectClass,
                uniquenessConstraints: ([entity] + above).flatMap(\.uniquenessConstraints),
                isAbstract: entity.isAbstract, lineage: lineages[index], subentityNames: below, family: family,
                compositePaths: ([entity] + above).reduce(into: [:]) { paths, entity in
                    paths.merge(entity.compositePaths) { first, _ in first }
                },
                slots: slots[index], zoneParent: ([entity] + above).lazy.compactMap(\.zoneParent).first,
                naturalKey: ([entity] + above).lazy.compactMap(\.naturalKey).first)
        }
    }

    /// A property of a family, or the column for a row's entity.
    private enum Place {
        case declared(EntityDescription, PropertyDescription)
        case kind
    }

    /// Names of an entity's ancestors, the nearest first.
    private func lineage(of entity: EntityDescription) -> [String] {
        var names: [String] = []
        var next = entity.parent
        while let name = next, !names.contains(name) {
            names.append(name)
            next = indexByName[name].flatMap { model.entities[$0].parent }
        }
        return names
    }

    /// The properties of a family by slot: stored attributes, to-one relationships with columns, other relationships,
    /// transient attributes.
    private func places(of members: [EntityDescription]) -> [Place] {
        var stored: [Place] = [], columns: [Place] = [], others: [Place] = [], transient: [Place] = []
        for entity in members {
            for property in entity.properties {
                let place = Place.declared(entity, property)
                switch property {
                case .attribute(let attribute) where attribute.isTransient: transient.append(place)
                case .attribute: stored.append(place)
                case .relationship(let relationship) where isColumn(relationship, of: entity): columns.append(place)
                case .relationship: others.append(place)
                }
            }
        }
        return stored + (members.count > 1 ? [.kind] : []) + columns + others + transient
    }

    /// The slots of an entity's properties by name. `lineage` is the entity and its ancestors.
    private func slots(of lineage: [String], in places: [Place]) -> [String: Int] {
        var slots: [String: Int] = [:]
        for (slot, place) in places.enumerated() {
            guard case .declared(let entity, let property) = place, lineage.contains(entity.name) else { continue }
            slots[property.name] = slot
        }
        return slots
    }

    /// Resolves the properties of a family in their slots.
    ///
    /// - Parameter slots: The slots of the properties by name, for each entity of the model.
    private func resolved(
        _ places: [Place], _ slots: [[String: Int]], _ columns: ToOneGraph
    ) -> [ResolvedProperty] {
        let shared = sharedNames(in: places)
        func columnName(_ name: String, _ entity: EntityDescription) -> String {
            shared.contains(name.lowercased()) ? "\(entity.name).\(name)" : name
        }
        return places.enumerated().map { slot, place in
            switch place {
            case .kind:
                ResolvedProperty(
                    name: EntityFamily.columnName, slot: slot,
                    attribute: AttributeDescription(EntityFamily.columnName, .string, optional: false),
                    relationship: nil)
            case .declared(let entity, .attribute(let attribute)):
                ResolvedProperty(
                    name: attribute.name, columnName: columnName(attribute.name, entity), declaringEntity: entity.name,
                    slot: slot, attribute: attribute, relationship: nil)
            case .declared(let entity, .relationship(let relationship)):
                ResolvedProperty(
                    name: relationship.name, columnName: columnName(relationship.name, entity),
                    declaringEntity: entity.name, slot: slot, attribute: nil,
                    relationship: resolve(relationship, of: entity, slots, columns))
            }
        }
    }

    /// The names, in lower case, that several entities of a family give to stored properties. A database takes column
    /// names that differ only in case as the same name.
    private func sharedNames(in places: [Place]) -> Set<String> {
        var once: Set<String> = [], shared: Set<String> = []
        for case .declared(_, let property) in places {
            if case .attribute(let attribute) = property, attribute.isTransient { continue }
            let name = property.name.lowercased()
            if !once.insert(name).inserted { shared.insert(name) }
        }
        return shared
    }

    private func resolve(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ slots: [[String: Int]],
        _ columns: ToOneGraph
    ) -> ResolvedRelationship {
        let destination = indexByName[relationship.destination] ?? 0
        return ResolvedRelationship(
            description: relationship, destinationIndex: destination,
            destinationRootIndex: root(of: relationship.destination),
            inverseSlot: slots[destination][relationship.inverse] ?? 0,
            storage: storage(of: relationship, in: entity),
            orderSlot: orderSlot(of: relationship, slots: slots[indexByName[entity.name] ?? 0], slots[destination]),
            mayLeadBack: columns.leads(from: root(of: relationship.destination), to: root(of: entity.name)))
    }

    private func orderSlot(
        of relationship: RelationshipDescription, slots: [String: Int], _ destination: [String: Int]
    ) -> Int? {
        guard relationship.isOrdered else { return nil }
        let name = model.orderAttribute(of: relationship).name
        return name.hasSuffix("_order") ? slots[name] : destination[name]
    }

    /// A to-one side opposite a to-many owns the column. Of two equal sides, the one with the lower (entity, name) owns
    /// the links.
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
