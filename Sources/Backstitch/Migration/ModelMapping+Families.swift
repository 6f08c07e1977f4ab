// Properties that move within a family of entities: up to a common parent, or down to entities below.
extension ModelMapping {
    /// An attribute whose values change their column in the rows of one entity. For instance the `title` of two
    /// siblings becomes their parent's, or the parent's becomes one of each sibling. In such a case one column is
    /// renamed, and the values of the others are copied.
    package struct Move: Sendable {
        /// The entity of the new model whose rows have the values.
        package let entity: ResolvedEntity
        /// The property in the old model.
        package let source: ResolvedProperty
        /// The property in the new model.
        package let property: ResolvedProperty

        /// Whether the values move out of the rows, or into the rows.
        package var changesPlace: Bool { property.isElsewhere(than: source) }
    }

    /// The attributes whose bytes were kept in the row and are kept outside it now, or the reverse. Each entity of a
    /// family has its own.
    package var contentMoves: [Move] {
        new.entities.flatMap { entity in
            entity.ownColumns.compactMap { property in
                guard let source = origin(of: property, for: entity), property.isElsewhere(than: source) else {
                    return nil
                }
                return Move(entity: entity, source: source, property: property)
            }
        }
    }

    /// Returns the old property that became a new one, for objects of one entity; nil if they had none.
    package func origin(of property: ResolvedProperty, for entity: ResolvedEntity) -> ResolvedProperty? {
        if let move = moves.first(where: { $0.entity === entity && $0.property.slot == property.slot }) {
            return move.source
        }
        guard let before = origin(of: property, in: entity), origin(of: entity)?.owns(before.slot) == true else {
            return nil
        }
        return before
    }

    /// Returns the new property that an old one became, for objects of one old entity; nil if they have none.
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

    /// Matches attributes with attributes, and relationships with relationships. Properties of the same entity are
    /// matched first, then those moved within the family, with equal types before others.
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

    /// Whether the declaring entity of one is above that of the other, in the old model or in the new one.
    private func isMoved(_ property: ResolvedProperty, _ before: ResolvedProperty) -> Bool {
        guard let entity = property.declaringEntity.flatMap(new.entity(named:)),
            let former = before.declaringEntity.flatMap(old.entity(named:))
        else { return false }
        return origin(of: entity).map { $0.isKin(of: former) } == true
            || successor(of: former).map { $0.isKin(of: entity) } == true
    }

    /// Finds the attributes that share a column with others in one of the two models.
    mutating func findMoves() {
        for entity in new.entities {
            guard let origin = origin(of: entity), origin.family != nil else { continue }
            for property in entity.ownProperties where self.origin(of: property, for: entity) == nil {
                guard let source = source(of: property, of: entity, in: origin) else { continue }
                moves.append(Move(entity: entity, source: source, property: property))
            }
        }
    }

    /// Returns the old attribute of the same name and kind, if it did not become an attribute of this entity.
    private func source(
        of property: ResolvedProperty, of entity: ResolvedEntity, in origin: ResolvedEntity
    ) -> ResolvedProperty? {
        guard property.isPlainColumn else { return nil }
        let names = [property.renaming.earlier, property.name].compactMap { $0 }
        guard let source = names.lazy.compactMap(origin.property(named:)).first, source.isPlainColumn,
            source.attribute?.type == property.attribute?.type
        else { return nil }
        let successor = successor(of: source, in: origin)
        return successor.map { entity.owns($0.slot) } == true ? nil : source
    }
}

extension ResolvedEntity {
    fileprivate func isKin(of other: ResolvedEntity) -> Bool { isKind(of: other) || other.isKind(of: self) }
}

extension ResolvedProperty {
    /// The names of the property, now and before.
    fileprivate var renaming: RenameMatcher.Name {
        RenameMatcher.Name(
            name: name, earlier: attribute?.renamingIdentifier ?? relationship?.description.renamingIdentifier)
    }

    /// Whether one of the two keeps its bytes in the row, and the other keeps them outside it.
    package func isElsewhere(than other: ResolvedProperty) -> Bool {
        attribute?.type == .binary && other.attribute?.type == .binary
            && attribute?.allowsExternalStorage != other.attribute?.allowsExternalStorage
    }

    /// Whether it is an attribute with its values stored exactly as they were set.
    fileprivate var isPlainColumn: Bool { attribute != nil && !isTransient && attribute?.derivation == nil }
}
