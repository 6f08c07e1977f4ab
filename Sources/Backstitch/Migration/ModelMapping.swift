/// Which entity and property of an older model each of a newer one comes from, and what is in the way of a migration.
///
/// Mappings are found from the two models alone, so a store's own account of its model is enough: the older program is
/// not needed.
package struct ModelMapping: Sendable {
    /// How much is expected of the mapping.
    package enum Demand: Sendable {
        /// All that the newer model asks for follows from the older one.
        case complete
        /// A program's own code fills what does not follow: what has another type is taken for new.
        case partial
    }

    /// The model before.
    package let old: ResolvedModel
    /// The model after.
    package let new: ResolvedModel
    /// The position in the old model of what each entity of the new one was; nil for new ones.
    package private(set) var entityOrigins: [Int?]
    /// For each entity of the new model the position of the root of the old family whose table holds its rows; nil for
    /// a new table.
    package private(set) var tableOrigins: [Int?]
    /// For each entity of the new model that has a table and each of its slots the slot of what it was; nil for new
    /// ones.
    package internal(set) var propertyOrigins: [[Int?]]
    /// The attributes that rows of single entities of a family keep in another column now.
    package internal(set) var moves: [Move] = []
    /// The changes, in words.
    package internal(set) var steps: [MigrationPlan.Step] = []
    /// Why the migration cannot be made without code for it; empty when it can.
    package internal(set) var faults: [BackstitchError] = []

    let demand: Demand

    /// Compares two models.
    package init(from old: ResolvedModel, to new: ResolvedModel, demand: Demand = .complete) {
        self.old = old
        self.new = new
        self.demand = demand
        entityOrigins = RenameMatcher.match(
            new.model.entities.map { RenameMatcher.Name(name: $0.name, earlier: $0.renamingIdentifier) },
            old.model.entities.map { RenameMatcher.Name(name: $0.name, earlier: $0.renamingIdentifier) })
        propertyOrigins = new.entities.map { Array(repeating: nil, count: $0.properties.count) }
        tableOrigins = Array(repeating: nil, count: new.entities.count)
        matchTables()
        for root in new.entities where root.isRoot {
            if let origin = tableOrigin(of: root) { matchProperties(of: root.index, with: origin) }
        }
        refuseStrangers()
        settleRelationships()
        findMoves()
        for index in new.entities.indices { compareEntity(index) }
        for (index, entity) in old.entities.enumerated() where !entityOrigins.contains(index) {
            steps.append(
                MigrationPlan.Step(
                    "entity \(entity.name) is removed, with its objects", entity: entity.name, losesData: true))
        }
    }

    /// Returns the old entity that an entity of the new model was; nil for a new one.
    package func origin(of entity: ResolvedEntity) -> ResolvedEntity? {
        entityOrigins[entity.index].map { old.entities[$0] }
    }

    /// The root of the old family whose table holds an entity's rows; nil when its table is new.
    package func tableOrigin(of entity: ResolvedEntity) -> ResolvedEntity? {
        tableOrigins[entity.index].map { old.entities[$0] }
    }

    /// The property of the old model whose column, or link table, one of the new model has taken over; nil for a new
    /// one. Some rows of a family may have had their values elsewhere: ``origin(of:for:)``.
    package func origin(of property: ResolvedProperty, in entity: ResolvedEntity) -> ResolvedProperty? {
        guard let origin = tableOrigin(of: entity), let slot = propertyOrigins[entity.tableIndex][property.slot] else {
            return nil
        }
        return origin.properties[slot]
    }

    /// Returns the new entity that an entity of the old model became; nil for a removed one.
    package func successor(of entity: ResolvedEntity) -> ResolvedEntity? {
        entityOrigins.firstIndex(of: entity.index).map { new.entities[$0] }
    }

    /// The root of the new family whose table holds the rows of an old entity; nil when they go.
    package func tableSuccessor(of entity: ResolvedEntity) -> ResolvedEntity? {
        tableOrigins.firstIndex(of: entity.tableIndex).map { new.entities[new.entities[$0].tableIndex] }
    }

    /// Returns the new property that a property of the old model became; nil for a removed one.
    package func successor(of property: ResolvedProperty, in entity: ResolvedEntity) -> ResolvedProperty? {
        guard let successor = tableSuccessor(of: entity) else { return nil }
        return propertyOrigins[successor.index].firstIndex(of: property.slot).map { successor.properties[$0] }
    }

    /// A family keeps its table, whatever happens within it. Tables are neither put together nor taken apart.
    private mutating func matchTables() {
        var owners: [Int: ResolvedEntity] = [:]
        for root in new.entities where root.isRoot {
            let members = new.entities.filter { $0.tableIndex == root.index }
            var origins: [Int] = []
            for member in members {
                guard let origin = origin(of: member)?.tableIndex, !origins.contains(origin) else { continue }
                origins.append(origin)
            }
            guard let origin = origins.first else { continue }
            for member in members { tableOrigins[member.index] = origin }
            if origins.count > 1 {
                let names = origins.map { old.entities[$0].name }.joined(separator: " and ")
                refuse(
                    "\(names) had nothing in common, and are of one family now; such entities cannot be put together",
                    root)
            }
            if let owner = owners[origin] {
                refuse(
                    "\(owner.name) and \(root.name) were of one family, and have nothing in common now; it cannot be taken apart",
                    root)
            }
            owners[origin] = root
        }
    }

    /// Notes what no code can help with.
    private mutating func refuse(_ text: String, _ entity: ResolvedEntity) {
        faults.append(BackstitchError(.modelMismatch, text, key: entity.name))
    }

    /// Another program's model, given by mistake, would remove everything.
    private mutating func refuseStrangers() {
        guard entityOrigins.allSatisfy({ $0 == nil }), !old.entities.isEmpty else { return }
        let names = old.entities.map(\.name).joined(separator: ", ")
        faults.append(
            BackstitchError(
                .modelMismatch,
                "none of the store's entities (\(names)) is in this model; is it the store of another program?"))
    }
}

extension ResolvedEntity {
    /// The position of the entity whose name its table has.
    var tableIndex: Int { family?.rootIndex ?? index }
}
