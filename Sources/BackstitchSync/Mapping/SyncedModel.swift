package import Backstitch

/// The model as records carry it.
package struct SyncedModel: Sendable {
    /// The model.
    package let model: ResolvedModel
    /// All entities of the model, by index; those that the store does not hold are never met.
    let entities: [SyncedEntity]
    /// Whether any entity has a unique constraint.
    let hasUniqueness: Bool
    /// Whether objects are deleted with others on which they hang.
    let hasCascades: Bool
    /// Whether any attribute is encrypted.
    let hasEncryption: Bool
    /// Whether any attribute has values that may travel as assets for want of room.
    let hasLargeColumns: Bool
    private let held: Set<String>
    private let parents: Set<String>
    private let indexByWireName: [String: Int]

    /// The model as records carry it.
    ///
    /// - Parameter part: The part of it that the store holds; nil for all.
    package init(_ model: ResolvedModel, part: ResolvedModel? = nil) {
        self.model = model
        let types = WireNames(
            model.entities.map { entity in
                (entity.name, model.model.entities.first { $0.name == entity.name }?.renamingIdentifier)
            })
        entities = model.entities.map { SyncedEntity($0, type: types[$0.name], in: model) }
        held = Set((part ?? model).entities.map(\.name))
        parents = Set(
            (part ?? model).entities.compactMap { $0.parentColumn.flatMap { model.entity(named: $0.destinationName) } }
                .flatMap { [$0.name] + $0.subentityNames })
        hasCascades = (part ?? model).entities.contains { entity in
            entity.relationships.contains { $0.relationship?.description.deleteRule == .cascade }
        }
        hasUniqueness = (part ?? model).entities.contains { !$0.uniquenessConstraints.isEmpty }
        hasEncryption = entities.contains { [held] in held.contains($0.entity.name) && $0.hasEncryption }
        hasLargeColumns = entities.contains { [held] in held.contains($0.entity.name) && !$0.largeColumns.isEmpty }
        indexByWireName = Dictionary(
            entities.filter { [held] in held.contains($0.entity.name) }.map { ($0.wireName, $0.entity.index) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The entities that the store holds.
    var heldEntities: [SyncedEntity] { entities.filter { held.contains($0.entity.name) } }

    func entity(named name: String) -> SyncedEntity? {
        held.contains(name) ? model.entity(named: name).map { entities[$0.index] } : nil
    }

    /// Whether objects of an entity may be parents of others.
    func isParent(_ entityName: String) -> Bool { parents.contains(entityName) }

    /// The entity whose records are of that type.
    func entity(ofType type: String) -> SyncedEntity? { indexByWireName[type].map { entities[$0] } }
}

extension AttributeDescription {
    /// Whether its field is BYTES.
    var travelsAsBytes: Bool {
        if allowsExternalStorage { return false }
        if case .transformable = type { return true }
        return type == .binary || isEncrypted
    }
}

extension ResolvedProperty {
    /// The name that the property had first, where it has another now.
    var earlierName: String? {
        attribute?.renamingIdentifier ?? relationship?.description.renamingIdentifier
    }
}
