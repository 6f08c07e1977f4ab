package import Backstitch

/// The statements of all entities of a model, built once for a store. To build a text takes longer than to run a short
/// one.
package struct ModelStatements: Sendable {
    /// The model of the statements.
    package let model: ResolvedModel
    /// The SQL dialect of the statements.
    package let dialect: any SQLDialect
    /// An entity for each table of the store: the root of the family that shares it.
    let tables: [ResolvedEntity]

    private let entities: [EntityStatements]
    private let writing: [EntityWriteStatements]
    /// The queries for destinations, by entity and slot of the relationship.
    private let relationships: [[RelationshipStatements?]]

    /// Creates the statements of a store's model.
    package init(_ configuration: StoreConfiguration, dialect: some SQLDialect) {
        self.init(configuration.model, part: configuration.storedModel, dialect: dialect)
    }

    /// Creates the statements of `model`.
    ///
    /// - Parameter part: The part of the model that has tables in the store; nil for all.
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

    /// The query for the row of a key. The key is its only parameter.
    package func rowByKey(of entity: ResolvedEntity) -> String {
        let isKnown = entity.index < entities.count && entities[entity.index].entity == entity
        return isKnown ? entities[entity.index].rowByKey : EntityStatements(entity, dialect: dialect).rowByKey
    }

    /// The query for the destinations of a relationship, for these sources. It returns the source's key, then the
    /// destination's row or only its key. Nil for an attribute.
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
