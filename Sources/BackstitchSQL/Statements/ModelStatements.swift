package import Backstitch

/// The statements of all entities of a model, made once for a store: putting a text together takes longer than running
/// a short one.
package struct ModelStatements: Sendable {
    /// The model.
    package let model: ResolvedModel
    /// The SQL that they are in.
    package let dialect: any SQLDialect
    /// An entity for each table that the store has: the root of the family that shares it.
    let tables: [ResolvedEntity]

    private let entities: [EntityStatements]
    private let writing: [EntityWriteStatements]
    /// By entity and slot of the relationship.
    private let relationships: [[RelationshipStatements?]]

    /// The statements of a store's model.
    package init(_ configuration: StoreConfiguration, dialect: some SQLDialect) {
        self.init(configuration.model, part: configuration.storedModel, dialect: dialect)
    }

    /// The statements of `model`.
    ///
    /// - Parameter part: The part of it for which the store has tables; nil for all.
    package init(_ model: ResolvedModel, part: ResolvedModel? = nil, dialect: some SQLDialect) {
        self.model = model
        self.dialect = dialect
        let held = part.map { Set($0.entities.map(\.name)) }
        tables = model.entities.filter { $0.isRoot && held?.contains($0.name) != false }
        let entities = model.entities.map { EntityStatements($0, dialect: dialect) }
        self.entities = entities
        relationships = model.entities.map { entity in
            entity.properties.map { Self.related(by: $0, of: entity, in: model) { entities[$0.index] } }
        }
        writing = model.entities.map { EntityWriteStatements($0, dialect: dialect) }
    }

    /// The statements that write an entity's rows.
    package func writing(_ entity: ResolvedEntity) -> EntityWriteStatements {
        let known = entity.index < writing.count ? writing[entity.index] : nil
        if let known, known.entity == entity { return known }
        return EntityWriteStatements(entity, dialect: dialect)
    }

    /// The query for the row of a key, its only parameter.
    package func rowByKey(of entity: ResolvedEntity) -> String {
        let isKnown = entity.index < entities.count && entities[entity.index].entity == entity
        return isKnown ? entities[entity.index].rowByKey : EntityStatements(entity, dialect: dialect).rowByKey
    }

    /// The query for the destinations of a relationship of an entity from these sources: the source's key, then the
    /// destination's row or its key only; nil for an attribute.
    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: ArraySlice<ObjectKey>, keysOnly: Bool = false
    ) -> SQLStatement? {
        let isKnown = entity.index < entities.count && entities[entity.index].entity == entity
        if isKnown, !keysOnly { return relationships[entity.index][property.slot]?.related(sources: sources) }
        return Self.related(by: property, of: entity, in: model, { self[$0] }, keysOnly: keysOnly)?
            .related(sources: sources)
    }

    /// The statements that read an entity's rows.
    package subscript(entity: ResolvedEntity) -> EntityStatements {
        let known = entity.index < entities.count ? entities[entity.index] : nil
        if let known, known.entity == entity { return known }
        return EntityStatements(entity, dialect: dialect)
    }
}
