package import Backstitch

/// The model with the names and columns of its records.
package struct SyncedModel: Sendable {
    /// The resolved model of the container.
    package let model: ResolvedModel
    /// All entities of the model, by index; those that the store does not hold are never used.
    let entities: [SyncedEntity]
    /// Whether any entity has a unique constraint.
    let hasUniqueness: Bool
    /// Whether any relationship deletes its destinations by cascade.
    let hasCascades: Bool
    /// Whether any attribute is encrypted.
    let hasEncryption: Bool
    /// Whether any attribute may have values that are sent as assets for lack of room.
    let hasLargeColumns: Bool
    private let held: Set<String>
    private let parents: Set<String>
    private let indexByWireName: [String: Int]

    /// Creates the synced model from a resolved one.
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

    /// Returns whether objects of an entity may be parents of others.
    func isParent(_ entityName: String) -> Bool { parents.contains(entityName) }

    /// Returns the entity for a record type.
    func entity(ofType type: String) -> SyncedEntity? { indexByWireName[type].map { entities[$0] } }
}

extension AttributeDescription {
    /// Whether its field has the type BYTES.
    var travelsAsBytes: Bool {
        if allowsExternalStorage { return false }
        if case .transformable = type { return true }
        return type == .binary || isEncrypted
    }
}

extension ResolvedProperty {
    /// The first name of the property, if it was renamed.
    var earlierName: String? {
        attribute?.renamingIdentifier ?? relationship?.description.renamingIdentifier
    }
}
