package import Backstitch

/// The statements of all entities of a model, made once for a store: putting a text together takes longer than running
/// a short one.
package struct ModelStatements: Sendable {
    /// The model.
    package let model: ResolvedModel
    /// The SQL that they are in.
    package let dialect: any SQLDialect

    private let entities: [EntityStatements]
    private let writing: [EntityWriteStatements]

    /// The statements of `model`.
    package init(_ model: ResolvedModel, dialect: some SQLDialect) {
        self.model = model
        self.dialect = dialect
        entities = model.entities.map { EntityStatements($0, dialect: dialect) }
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

    /// The statements that read an entity's rows.
    package subscript(entity: ResolvedEntity) -> EntityStatements {
        let known = entity.index < entities.count ? entities[entity.index] : nil
        if let known, known.entity == entity { return known }
        return EntityStatements(entity, dialect: dialect)
    }
}
