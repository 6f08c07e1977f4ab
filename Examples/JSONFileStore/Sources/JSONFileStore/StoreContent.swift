import Backstitch
import Foundation

/// The content of a store as one value. A copy of it is a state of the store that never changes.
struct StoreContent: Sendable {
    /// A row with the entity of its object. In a family of entities this is one of the entities that share the table.
    struct Row: Sendable {
        var entityName: String
        var version: Int64
        /// The values of the row, by the slot of their column.
        var values: [Value]
    }

    let model: ResolvedModel
    let identifier: UUID
    /// The number of the last write; each write increments it.
    var transactionNumber: Int64 = 0
    private(set) var tables: [String: [ObjectKey: Row]] = [:]
    /// The links of each relationship that keeps them: those of many-to-many relationships, and the reverse links of
    /// to-one columns.
    private(set) var links: [String: LinkTable] = [:]

    init(model: ResolvedModel, identifier: UUID) {
        self.model = model
        self.identifier = identifier
    }

    /// Returns the table of an entity: its own, or that of the root of its family.
    static func table(of entity: ResolvedEntity) -> String { entity.family?.root ?? entity.name }

    /// Returns the name of a relationship's link table; `property` is the end that keeps the links.
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

    /// Returns the keys at the other end of an object's relationship, in ascending order, without missing rows.
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
    /// Inserts a row, or replaces the row with the same key.
    mutating func put(_ row: Row, _ key: ObjectKey, of entity: ResolvedEntity) {
        unlinkColumns(of: key, entity)
        for column in entity.columns where column.relationship != nil {
            guard case .object(let target) = row.values[column.slot] else { continue }
            links[Self.linkTable(of: column, in: entity), default: LinkTable()].insert(key, target.key)
        }
        tables[Self.table(of: entity), default: [:]][key] = row
    }

    /// Removes a row, with its many-to-many links. Columns of other rows may still name it.
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

    /// Adds and removes links of a many-to-many relationship.
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
