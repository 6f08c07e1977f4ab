package import Backstitch

/// The model as records carry it.
package struct SyncedModel: Sendable {
    /// The model.
    package let model: ResolvedModel
    let entities: [SyncedEntity]

    /// The model as records carry it.
    package init(_ model: ResolvedModel) {
        self.model = model
        entities = model.entities.map(SyncedEntity.init)
    }

    func entity(named name: String) -> SyncedEntity? {
        model.entity(named: name).map { entities[$0.index] }
    }
}

/// An entity as records carry it.
struct SyncedEntity: Sendable {
    let entity: ResolvedEntity
    let columns: [ResolvedProperty]
    let ownedLinks: [ResolvedProperty]
    /// The columns whose bytes travel as assets.
    let assetColumns: [ResolvedProperty]
    /// The columns that refer to other objects.
    let references: [ResolvedProperty]
    let fieldNames: Set<String>

    init(_ entity: ResolvedEntity) {
        self.entity = entity
        columns = Array(entity.columns)
        ownedLinks = entity.ownedLinks
        assetColumns = columns.filter { $0.attribute?.allowsExternalStorage == true }
        references = columns.filter { $0.relationship != nil }
        fieldNames = Set((columns + ownedLinks).map(\.name))
    }
}
