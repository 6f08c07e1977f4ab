/// Maps the entities and properties of a newer model to those of an older one, and finds the obstacles to a migration.
///
/// The mapping is inferred from the two models alone. So the model saved in a store is enough, and the older program is
/// not needed.
package struct ModelMapping: Sendable {
    /// The requirements for the mapping.
    package enum Demand: Sendable {
        /// The whole newer model must be inferable from the older one.
        case complete
        /// A program's own code supplies the rest: a property of another type counts as new.
        case partial
    }

    /// The model before the migration.
    package let old: ResolvedModel
    /// The model after the migration.
    package let new: ResolvedModel
    /// For each entity of the new model, its position in the old model; nil for a new entity.
    package private(set) var entityOrigins: [Int?]
    /// For each entity of the new model, the position of the old root whose table holds its rows; nil for a new table.
    package private(set) var tableOrigins: [Int?]
    /// For each entity of the new model with a table, the old slot of each of its slots; nil for a new property.
    package internal(set) var propertyOrigins: [[Int?]]
    /// The attributes with another column now in the rows of single entities of a family.
    package internal(set) var moves: [Move] = []
    /// The changes of the migration, in words.
    package internal(set) var steps: [MigrationPlan.Step] = []
    /// The obstacles to a migration without code; empty if there are none.
    package internal(set) var faults: [BackstitchError] = []

    let demand: Demand

    /// Compares two models, and builds the mapping.
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

    /// Returns the old entity that became a new one; nil if the entity was added.
    package func origin(of entity: ResolvedEntity) -> ResolvedEntity? {
        entityOrigins[entity.index].map { old.entities[$0] }
    }

    /// Returns the old root whose table holds the rows of a new entity; nil if its table is new.
    package func tableOrigin(of entity: ResolvedEntity) -> ResolvedEntity? {
        tableOrigins[entity.index].map { old.entities[$0] }
    }

    /// Returns the old property whose column, or link table, a new property has taken over; nil if it was added. In a
    /// family some rows may have had their values elsewhere: ``origin(of:for:)``.
    package func origin(of property: ResolvedProperty, in entity: ResolvedEntity) -> ResolvedProperty? {
        guard let origin = tableOrigin(of: entity), let slot = propertyOrigins[entity.tableIndex][property.slot] else {
            return nil
        }
        return origin.properties[slot]
    }

    /// Returns the new entity that an old one became; nil if it was removed.
    package func successor(of entity: ResolvedEntity) -> ResolvedEntity? {
        entityOrigins.firstIndex(of: entity.index).map { new.entities[$0] }
    }

    /// Returns the new root whose table holds the rows of an old entity; nil if they are removed.
    package func tableSuccessor(of entity: ResolvedEntity) -> ResolvedEntity? {
        tableOrigins.firstIndex(of: entity.tableIndex).map { new.entities[new.entities[$0].tableIndex] }
    }

    /// Returns the new property that an old one became; nil if it was removed.
    package func successor(of property: ResolvedProperty, in entity: ResolvedEntity) -> ResolvedProperty? {
        guard let successor = tableSuccessor(of: entity) else { return nil }
        return propertyOrigins[successor.index].firstIndex(of: property.slot).map { successor.properties[$0] }
    }

    /// Matches tables. A family keeps its table through all changes within it. Tables are neither joined nor split.
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

    /// Reports an obstacle that code cannot remove.
    private mutating func refuse(_ text: String, _ entity: ResolvedEntity) {
        faults.append(BackstitchError(.modelMismatch, text, key: entity.name))
    }

    /// Refuses a model without any of the store's entities. Another program's model, given by mistake, would remove
    /// everything.
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
    /// The position of the entity that gives the table its name.
    var tableIndex: Int { family?.rootIndex ?? index }
}
