import Backstitch
import Foundation

/// All that a store holds, as one value: whoever has a copy has a state of the store that never changes.
struct StoreContent: Sendable {
    /// A row, with the entity that its object is of (in a family of entities: one of those that share the table).
    struct Row: Sendable {
        var entityName: String
        var version: Int64
        /// By column.
        var values: [Value]
    }

    let model: ResolvedModel
    let identifier: UUID
    /// Rises with each write.
    var transactionNumber: Int64 = 0
    private(set) var tables: [String: [ObjectKey: Row]] = [:]
    /// The links of each relationship that keeps them: those of many-to-many ones, and for the way back those of to-one
    /// columns.
    private(set) var links: [String: LinkTable] = [:]

    init(model: ResolvedModel, identifier: UUID) {
        self.model = model
        self.identifier = identifier
    }

    /// The table of an entity: its own, or that of the root of its family.
    static func table(of entity: ResolvedEntity) -> String { entity.family?.root ?? entity.name }

    /// Where the links of a relationship are kept, whichever of its ends it is.
    static func linkTable(of property: ResolvedProperty, in entity: ResolvedEntity) -> String {
        "\(table(of: entity)).\(property.columnName)"
    }

    /// The names of all bytes that rows refer to.
    var assetNames: Set<AssetReference> {
        var names: Set<AssetReference> = []
        for row in tables.values.joined() {
            for case .asset(let reference) in row.value.values { names.insert(reference) }
        }
        return names
    }

    func row(_ key: ObjectKey, of entity: ResolvedEntity) -> Row? { tables[Self.table(of: entity)]?[key] }

    /// The keys that a relationship leads to from an object, rising. Rows that are not there are not led to.
    func targets(of property: ResolvedProperty, in entity: ResolvedEntity, from key: ObjectKey) -> [ObjectKey] {
        guard let relationship = property.relationship else { return [] }
        let destination = model.destination(of: relationship)
        let found =
            switch relationship.storage {
            case .column, .ownedLinks:
                links[Self.linkTable(of: property, in: entity)]?.targets[key]
            case .inverseColumn, .inverseLinks:
                links[Self.linkTable(of: model.inverse(of: relationship), in: destination)]?.sources[key]
            }
        return (found ?? []).filter { row($0, of: destination) != nil }.sorted()
    }
}

extension StoreContent {
    /// Puts a row in the place of that with the same key, if there is one.
    mutating func put(_ row: Row, _ key: ObjectKey, of entity: ResolvedEntity) {
        unlinkColumns(of: key, entity)
        for column in entity.columns where column.relationship != nil {
            guard case .object(let target) = row.values[column.slot] else { continue }
            links[Self.linkTable(of: column, in: entity), default: LinkTable()].insert(key, target.key)
        }
        tables[Self.table(of: entity), default: [:]][key] = row
    }

    /// Takes a row out, with its links in many-to-many relationships. Columns of other rows may go on naming it.
    mutating func remove(_ key: ObjectKey, of entity: ResolvedEntity) {
        unlinkColumns(of: key, entity)
        for property in entity.properties {
            guard let relationship = property.relationship else { continue }
            if relationship.storage == .ownedLinks {
                links[Self.linkTable(of: property, in: entity)]?.removeTargets(of: key)
            } else if relationship.storage == .inverseLinks {
                let (inverse, owner) = (model.inverse(of: relationship), model.destination(of: relationship))
                links[Self.linkTable(of: inverse, in: owner)]?.removeSources(of: key)
            }
        }
        tables[Self.table(of: entity)]?[key] = nil
    }

    /// Makes and takes links of a many-to-many relationship.
    mutating func apply(_ change: LinkChange) {
        let name = Self.linkTable(of: change.property, in: change.entity)
        for link in change.removed { links[name]?.remove(link.source, link.target) }
        for link in change.added { links[name, default: LinkTable()].insert(link.source, link.target) }
    }

    private mutating func unlinkColumns(of key: ObjectKey, _ entity: ResolvedEntity) {
        for column in entity.columns where column.relationship != nil {
            links[Self.linkTable(of: column, in: entity)]?.removeTargets(of: key)
        }
    }
}
