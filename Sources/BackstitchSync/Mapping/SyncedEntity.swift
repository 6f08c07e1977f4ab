import Backstitch

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
