import Backstitch

/// An entity with the names and columns of its records.
final class SyncedEntity: Sendable {
    let entity: ResolvedEntity
    /// The type of its records: the first name of the entity.
    let wireName: String
    /// The columns that are sent or received, or both.
    let columns: [ResolvedProperty]
    let ownedLinks: [ResolvedProperty]
    /// The columns whose bytes are sent as assets.
    let assetColumns: [ResolvedProperty]
    /// The columns whose values are encrypted.
    let encryptedColumns: [ResolvedProperty]
    /// The columns with byte fields, by the names of their additional fields. An additional field holds the bytes as an
    /// asset if the record has no room for them. A column is left out if another property has that name.
    let largeColumns: [String: ResolvedProperty]
    /// The columns that refer to other objects.
    let references: [ResolvedProperty]
    /// The columns that keep their local value when a record is received.
    let keptColumns: [ResolvedProperty]
    /// The resolved predicate for the objects to send; nil for all.
    let predicate: FetchPredicate?
    /// The names of its known fields.
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

    /// Returns the name of the field with the envelope of an encrypted asset's key.
    func envelopeName(of property: String) -> String { wireName(of: property) + Self.envelopeSuffix }

    private static let envelopeSuffix = "_encryption"

    /// Returns the name of the additional field that holds the column's bytes if the record has no room for them; nil
    /// for a column without one.
    func largeName(of column: ResolvedProperty) -> String? {
        let name = wireName(of: column.name) + LargeFields.suffix
        return largeColumns[name]?.slot == column.slot ? name : nil
    }

    /// Returns the name of a property's field: its first name.
    func wireName(of property: String) -> String { wireNames[property] }

    /// Returns whether the column keeps its local value when a record is received.
    func keeps(_ column: ResolvedProperty) -> Bool { keptSlots.contains(column.slot) }

    /// Returns whether the property's local value is sent to the server.
    func sends(_ property: ResolvedProperty) -> Bool { property.attribute?.syncDirection.uploads ?? true }
}
