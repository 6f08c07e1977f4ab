// Properties that move within a family of entities: up to a common parent, or down to entities below.
extension ModelMapping {
    /// Attributes that rows of one entity keep in another column than the mapping of columns says: two siblings'
    /// `title` becomes their parent's, or the parent's becomes that of each of them. One column is renamed then; the
    /// values of the others are copied.
    package struct Move: Sendable {
        /// The entity of the new model whose rows have the values.
        package let entity: ResolvedEntity
        /// The property of the old model.
        package let source: ResolvedProperty
        /// The property of the new model.
        package let property: ResolvedProperty
    }

    /// The property of the old model that objects of an entity had in place of one of the new model; nil when they had
    /// none.
    package func origin(of property: ResolvedProperty, for entity: ResolvedEntity) -> ResolvedProperty? {
        if let move = moves.first(where: { $0.entity === entity && $0.property.slot == property.slot }) {
            return move.source
        }
        guard let before = origin(of: property, in: entity), origin(of: entity)?.owns(before.slot) == true else {
            return nil
        }
        return before
    }

    /// The property of the new model that objects of an old entity have in place of one of the old model; nil when they
    /// have none.
    package func successor(of property: ResolvedProperty, for entity: ResolvedEntity) -> ResolvedProperty? {
        let successor = successor(of: entity)
        if let move = moves.first(where: { $0.entity === successor && $0.source.slot == property.slot }) {
            return move.property
        }
        guard let found = self.successor(of: property, in: entity), successor?.owns(found.slot) == true else {
            return nil
        }
        return found
    }

    /// Attributes become attributes, and relationships relationships; those of one entity first, then those that moved
    /// within the family, of equal type before others.
    mutating func matchProperties(of index: Int, with origin: ResolvedEntity) {
        for isAttribute in [true, false] {
            let properties = new.entities[index].properties.filter {
                ($0.attribute != nil) == isAttribute && !$0.isTransient
            }
            let before = origin.properties.filter { ($0.attribute != nil) == isAttribute }
            for (property, match) in zip(properties, matches(of: properties, before)) {
                propertyOrigins[index][property.slot] = match.map { before[$0].slot }
            }
        }
    }

    private func matches(of properties: [ResolvedProperty], _ before: [ResolvedProperty]) -> [Int?] {
        RenameMatcher.match(
            properties.map(\.renaming), before.map(\.renaming),
            first: [
                { isOfOneEntity(properties[$0], before[$1]) },
                { isMoved(properties[$0], before[$1]) && properties[$0].attribute?.type == before[$1].attribute?.type },
                { isMoved(properties[$0], before[$1]) },
            ])
    }

    private func isOfOneEntity(_ property: ResolvedProperty, _ before: ResolvedProperty) -> Bool {
        guard let entity = property.declaringEntity.flatMap(new.entity(named:)) else {
            return before.declaringEntity == nil
        }
        return origin(of: entity).map { $0.name == before.declaringEntity } ?? false
    }

    /// Whether one of the entities that declare them is above the other, in the old model or in the new one.
    private func isMoved(_ property: ResolvedProperty, _ before: ResolvedProperty) -> Bool {
        guard let entity = property.declaringEntity.flatMap(new.entity(named:)),
            let former = before.declaringEntity.flatMap(old.entity(named:))
        else { return false }
        return origin(of: entity).map { $0.isKin(of: former) } == true
            || successor(of: former).map { $0.isKin(of: entity) } == true
    }

    /// Finds the attributes that have a column of their own in one model only.
    mutating func findMoves() {
        for entity in new.entities {
            guard let origin = origin(of: entity), origin.family != nil else { continue }
            for property in entity.ownProperties where self.origin(of: property, for: entity) == nil {
                guard let source = source(of: property, of: entity, in: origin) else { continue }
                moves.append(Move(entity: entity, source: source, property: property))
            }
        }
    }

    /// The old attribute of the same name and kind that became none of the entity's own.
    private func source(
        of property: ResolvedProperty, of entity: ResolvedEntity, in origin: ResolvedEntity
    ) -> ResolvedProperty? {
        guard property.isPlainColumn else { return nil }
        let names = [property.renaming.earlier, property.name].compactMap { $0 }
        guard let source = names.lazy.compactMap(origin.property(named:)).first, source.isPlainColumn,
            source.attribute?.type == property.attribute?.type,
            source.attribute?.allowsExternalStorage == property.attribute?.allowsExternalStorage
        else { return nil }
        let successor = successor(of: source, in: origin)
        return successor.map { entity.owns($0.slot) } == true ? nil : source
    }
}

extension ResolvedEntity {
    fileprivate func isKin(of other: ResolvedEntity) -> Bool { isKind(of: other) || other.isKind(of: self) }
}

extension ResolvedProperty {
    /// Its names, now and before.
    fileprivate var renaming: RenameMatcher.Name {
        RenameMatcher.Name(
            name: name, earlier: attribute?.renamingIdentifier ?? relationship?.description.renamingIdentifier)
    }

    /// Whether it is an attribute whose values rows keep as they were set.
    fileprivate var isPlainColumn: Bool { attribute != nil && !isTransient && attribute?.derivation == nil }
}
