package import Backstitch

/// The statements of all entities of a model, made once for a store: putting a text together takes longer than running a short
/// one.
package struct ModelStatements: Sendable {
    /// The model.
    package let model: ResolvedModel
    /// The SQL that they are in.
    package let dialect: SQLDialect

    private let entities: [EntityStatements]

    /// The statements of `model`.
    package init(_ model: ResolvedModel, dialect: SQLDialect) {
        self.model = model
        self.dialect = dialect
        entities = model.entities.map { EntityStatements($0, dialect: dialect) }
    }

    /// The statements of an entity.
    package subscript(entity: ResolvedEntity) -> EntityStatements {
        let known = entity.index < entities.count ? entities[entity.index] : nil
        if let known, known.entity == entity { return known }
        return EntityStatements(entity, dialect: dialect)
    }
}
