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

/// An entity as records carry it.
final class SyncedEntity: Sendable {
    let entity: ResolvedEntity
    /// The type of its records: the name that the entity had first.
    let wireName: String
    /// The columns that travel, at least one way.
    let columns: [ResolvedProperty]
    let ownedLinks: [ResolvedProperty]
    /// The columns whose bytes travel as assets.
    let assetColumns: [ResolvedProperty]
    /// The columns whose values are encrypted.
    let encryptedColumns: [ResolvedProperty]
    /// The columns whose fields are bytes, by the names of the fields beside them that have those as assets where a
    /// record has no room for them. One whose name there another property has is none of them.
    let largeColumns: [String: ResolvedProperty]
    /// The columns that refer to other objects.
    let references: [ResolvedProperty]
    /// Columns that keep what they have here when a record comes.
    let keptColumns: [ResolvedProperty]
    /// Which objects are sent; nil for all. Resolved.
    let predicate: FetchPredicate?
    /// The names of fields that it knows.
    let fieldNames: Set<String>
    private let keptSlots: Set<Int>
    private let encryptedSlots: Set<Int>
    private let wireNames: WireNames

    init(_ entity: ResolvedEntity, type: String, in model: ResolvedModel) {
        self.entity = entity
        let described = model.model.entities.first { $0.name == entity.name }
        wireName = type
        columns = entity.syncedProperties.filter { $0.slot < entity.columnCount }
        ownedLinks = entity.ownedLinks
        assetColumns = columns.filter { $0.attribute?.allowsExternalStorage == true }
        encryptedColumns = columns.filter { $0.attribute?.isEncrypted == true }
        encryptedSlots = Set(encryptedColumns.map(\.slot))
        references = columns.filter { $0.relationship != nil }
        keptColumns = entity.columns.filter { column in
            column.attribute.map { $0.derivation != nil || !$0.syncDirection.downloads } ?? false
        }
        keptSlots = Set(keptColumns.map(\.slot))
        // A faulty predicate was refused when the store was added.
        predicate = try? described?.syncPredicate()?.resolved(for: entity, in: model)
        wireNames = WireNames((columns + ownedLinks).map { ($0.name, $0.earlierName) })
        let envelopes = encryptedColumns.filter { $0.attribute?.allowsExternalStorage == true }
        fieldNames = Set((columns + ownedLinks).map { [wireNames] in wireNames[$0.name] })
            .union(envelopes.map { [wireNames] in wireNames[$0.name] + Self.envelopeSuffix })
        let bytes = columns.filter { $0.attribute?.travelsAsBytes == true }
        largeColumns = Dictionary(
            bytes.map { [wireNames] in (wireNames[$0.name] + LargeFields.suffix, $0) }
                .filter { [fieldNames] in !fieldNames.contains($0.0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether any attribute is encrypted.
    var hasEncryption: Bool { !encryptedColumns.isEmpty }

    func isEncrypted(_ column: ResolvedProperty) -> Bool { hasEncryption && encryptedSlots.contains(column.slot) }

    /// The name of the field beside an encrypted asset's, which has the envelope of its key.
    func envelopeName(of property: String) -> String { wireName(of: property) + Self.envelopeSuffix }

    private static let envelopeSuffix = "_encryption"

    /// The name of the field beside a column's, which has its bytes where a record has no room for them; nil for a
    /// column that has none.
    func largeName(of column: ResolvedProperty) -> String? {
        let name = wireName(of: column.name) + LargeFields.suffix
        return largeColumns[name]?.slot == column.slot ? name : nil
    }

    /// The name of a property's field: the one that it had first.
    func wireName(of property: String) -> String { wireNames[property] }

    /// Whether the column keeps what it has here when a record comes.
    func keeps(_ column: ResolvedProperty) -> Bool { keptSlots.contains(column.slot) }

    /// Whether what is in the property here goes to the server.
    func sends(_ property: ResolvedProperty) -> Bool { property.attribute?.syncDirection.uploads ?? true }
}

extension AttributeDescription {
    /// Whether its field is BYTES.
    fileprivate var travelsAsBytes: Bool {
        if allowsExternalStorage { return false }
        if case .transformable = type { return true }
        return type == .binary || isEncrypted
    }
}

extension ResolvedProperty {
    /// The name that the property had first, where it has another now.
    fileprivate var earlierName: String? {
        attribute?.renamingIdentifier ?? relationship?.description.renamingIdentifier
    }
}

/// The names that entities or properties have in records: those that they had first, unless something else has such a
/// name now.
struct WireNames: Sendable {
    private var earlier: [String: String] = [:]

    /// - Parameter names: Each name with the one that it had first; no two had the same.
    init(_ names: [(name: String, earlier: String?)]) {
        var renamed = names.filter { $0.earlier != nil }
        var taken = Set(names.filter { $0.earlier == nil }.map(\.name))
        // An entity or property that cannot have its first name keeps its own, which no other can have then.
        while let position = renamed.firstIndex(where: { taken.contains($0.earlier ?? "") }) {
            taken.insert(renamed.remove(at: position).name)
        }
        for (name, first) in renamed { earlier[name] = first }
    }

    subscript(name: String) -> String { earlier[name] ?? name }
}
